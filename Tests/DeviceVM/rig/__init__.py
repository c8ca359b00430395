"""The host's side of the tests in the virtual machine."""
