"""let_read.py FILE USER: an access-control list lets one more user read the file, as setfacl does."""
import os
import pwd
import struct
import sys

USER_OBJ, USER, GROUP_OBJ, MASK, OTHER = 0x01, 0x02, 0x04, 0x10, 0x20
READ = 4
NOBODY = 0xFFFFFFFF

entries = [
    (USER_OBJ, READ, NOBODY), (USER, READ, pwd.getpwnam(sys.argv[2]).pw_uid), (GROUP_OBJ, 0, NOBODY), (MASK, READ, NOBODY),
    (OTHER, 0, NOBODY)]
packed = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
os.setxattr(sys.argv[1], "system.posix_acl_access", packed)
