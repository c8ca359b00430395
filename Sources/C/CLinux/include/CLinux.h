#ifndef LIVESESSIONS_CLINUX_H
#define LIVESESSIONS_CLINUX_H

/* Linux calls whose headers need _GNU_SOURCE, which Swift's own view of glibc lacks. */

/* Structures of glibc belong to Swift's module of it. Without this they belong to whichever of the two modules is loaded first, and
   files that import the other one do not see their members. */
#ifdef __building_module
#if __building_module(CLinux)
#pragma clang module import SwiftGlibc
#endif
#endif

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Files above 2 GiB and times after 2038 are usual. */
_Static_assert(
    sizeof(off_t) == 8 && sizeof(time_t) == 8,
    "on 32 bits build with -Xcc -D_FILE_OFFSET_BITS=64 -Xcc -D_TIME_BITS=64 (docs/internals/arm.md)");

int ls_eventfd(void);
int ls_timerfd(void);
/* Arms the timer for an absolute CLOCK_MONOTONIC time; 0 disarms it. */
int ls_timerfd_set(int descriptor, int64_t nanoseconds);
/* A timer that becomes readable whenever the wall clock is set: read(2) fails with ECANCELED then. Returns -1 and
   errno. */
int ls_clock_set_timerfd(void);

int ls_epoll_create(void);
/* Watches for input; `token` comes back from ls_epoll_wait. Returns -1 and errno. */
int ls_epoll_add(int epoll, int descriptor, uint64_t token);
/* Waits and stores up to `capacity` tokens that are ready. Returns the count, or -1 and errno. */
int ls_epoll_wait(int epoll, uint64_t *tokens, int capacity, int timeout_milliseconds);

/* Has the allocator give large blocks back to the kernel as soon as they are freed, and keep few pools. */
void ls_keep_little_freed_memory(void);

/* Gives what is free now back to the kernel. Blocks other allocations for a moment. */
void ls_return_freed_memory(void);

/* Bytes that the program has freed and the C library keeps, pages that were given back among them. */
uint64_t ls_freed_memory(void);

/* Processors that the calling thread may run on. */
int ls_usable_processors(void);

void ls_name_thread(const char *name);
/* Starts a thread with a stack of so many bytes. Returns an errno, 0 for none. (Where a module imports Dispatch, too, Swift
   cannot always see pthread_attr_t.) */
int ls_start_thread(unsigned long *thread, size_t stack_size, void *(*body)(void *), void *context);

/* Who owns what `path` leads to. Returns -1 and errno. (Where full Foundation is linked statically, Swift cannot see the
   members of struct stat.) */
int ls_owner(const char *path, uint32_t *user, uint32_t *group);
/* A file's access-control list (acl(5)), as the kernel has it in the attribute system.posix_acl_access. Returns its length in
   bytes, or -1 and errno, also where there is none or it takes more than `capacity`. */
ssize_t ls_access_list(int descriptor, uint8_t *bytes, size_t capacity);
/* Gives a folder, or else a regular file of one name, from root to another owner; never through a link. Returns -1 where
   it is something else, or may not be given. */
int ls_give_from_root(const char *path, int is_folder, uint32_t user, uint32_t group);

/* Hands a file's bytes to the disk and waits until it has them, which may keep them in its cache (sync_file_range(2)).
   Returns -1 and errno. */
int ls_write_out(int descriptor);

/* Whether the kernel calls the wall clock synchronised (adjtimex(2)). */
int ls_clock_is_synchronized(void);

/* A UDP address in one shape for both families: `high` and `low` are the address in host order, IPv4 in the top 32
   bits of `high`. */
struct ls_address {
  uint64_t high;
  uint64_t low;
  uint16_t port;
  uint8_t is_ipv6;
};

/* Stores the addresses of the interfaces that are up and connected, link-local ones left out. Returns the count, at most
   `capacity`. */
int ls_interface_addresses(struct ls_address *addresses, int capacity);

/* Opens a non-blocking socket on which the kernel reports addresses and interfaces that come and go (rtnetlink(7)).
   Returns -1 and errno. */
int ls_address_changes_open(void);
/* Discards what the kernel reported so far. Returns whether there was anything, lost messages (ENOBUFS) included. */
int ls_address_changes_drain(int descriptor);

/* Opens a non-blocking UDP socket that reports each datagram's destination address. The kernel may make its buffers
   smaller (net.core.rmem_max, wmem_max). Returns -1 and errno. */
int ls_udp_open(struct ls_address local, int receive_bytes, int send_bytes);
uint16_t ls_udp_port(int descriptor);

#define LS_BATCH 32

/* Memory for one recvmmsg: headers and addresses. Payloads lie in the caller's memory. */
struct ls_receive_batch;
struct ls_receive_batch *ls_receive_batch_make(void);
void ls_receive_batch_free(struct ls_receive_batch *batch);

/* Receives up to LS_BATCH datagrams of at most `stride` bytes into `memory`. Returns the count, or -1 and errno. */
int ls_udp_receive(int descriptor, struct ls_receive_batch *batch, uint8_t *memory, size_t stride);
/* The datagram's bytes; 0 when it was longer than the stride. */
size_t ls_received_length(const struct ls_receive_batch *batch, int index);
struct ls_address ls_received_source(const struct ls_receive_batch *batch, int index);
/* The address that the datagram was sent to; its port is 0. */
struct ls_address ls_received_destination(struct ls_receive_batch *batch, int index);

/* Memory for the headers of one sendmmsg. Payloads lie in the caller's memory until they are sent. */
struct ls_send_batch;
struct ls_send_batch *ls_send_batch_make(void);
void ls_send_batch_free(struct ls_send_batch *batch);

/* What `bytes` is to leave as: from `source` (its port is ignored), cut into datagrams of `segment` bytes, the last of
   which may be shorter (UDP_SEGMENT of udp(7)); 0 sends it whole. */
struct ls_message {
  const uint8_t *bytes;
  size_t count;
  uint16_t segment;
  struct ls_address source;
  struct ls_address target;
};

/* Fills in place `index`, which is less than LS_BATCH. */
void ls_send_batch_set(struct ls_send_batch *batch, int index, const struct ls_message *message);
/* Sends the messages from `first` to before `end`. Returns how many the kernel took before it refused one, or -errno
   when it refused the first. */
int ls_send_batch_send(int descriptor, struct ls_send_batch *batch, int first, int end);

/* Changes whether output is watched for besides input, for a descriptor that ls_epoll_add has added. */
int ls_epoll_watch_output(int epoll, int descriptor, uint64_t token, int is_wanted);

/* Opens a non-blocking socket to one server: UDP, or TCP, which is connected or has failed (ls_socket_error) once it can be
   written to. Returns -1 and errno. */
int ls_connect(struct ls_address server, int is_stream);
/* Returns the source address of such a socket; returns -1 and errno when that is not known. */
int ls_local_address(int descriptor, struct ls_address *address);
/* The errno of what went wrong since the last call, or 0. */
int ls_socket_error(int descriptor);
/* Return the count of octets, 0 at the end of a stream, or -1 and errno. */
long ls_receive(int descriptor, void *bytes, size_t capacity);
long ls_send(int descriptor, const void *bytes, size_t count);

/* Looks up a host's name; may take long. Returns the count of addresses, at most `capacity`, or one of the negative EAI_
   codes. */
int ls_resolve(const char *host, uint16_t port, struct ls_address *addresses, int capacity);

/* A pipe whose ends are not inherited. Reading does not block; writing does, since it is a program's that expects nothing
   else of its output. Returns -1 and errno. */
int ls_pipe(int ends[2]);
/* A file in memory alone, which is not inherited. Returns -1 and errno. */
int ls_memory_file(const char *name);
/* What a program has as standard input, output and error; -1 for /dev/null. */
struct ls_standard_files {
  int input;
  int output;
  int error;
};
/* A program to start: with `variables` as its environment, in a process group of its own, in /, with default signals; without
   them (NULL) in the environment, group and folder of this process. It inherits no descriptor but `files` and `inputs`, which
   become 3, 4, 5 … and must lie above those. With `ends_with_thread` the kernel sends it SIGKILL when the thread ends that has
   started it, however that comes (PR_SET_PDEATHSIG of prctl(2)); what it has started itself has to notice that by its files. */
struct ls_program {
  const char *path;
  char *const *arguments;
  char *const *variables;
  struct ls_standard_files files;
  const int *inputs;
  int input_count;
  int ends_with_thread;
};
/* Returns 0 or an errno, that of execve(2) among them. */
int ls_spawn(const struct ls_program *program, pid_t *process);

/* Gives a pipe room for so many bytes, or for as many as an ordinary user may have. */
void ls_pipe_enlarge(int descriptor, int bytes);
/* How many bytes can be read at once. */
int ls_readable_bytes(int descriptor);

#include "Evdev.h"
#include "FileSystem.h"
#include "GPIO.h"
#include "V4L2.h"

#endif
