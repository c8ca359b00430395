#define _GNU_SOURCE 1
#include "CLinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

/* Known to the kernel since 4.18, to Debian's header of glibc not everywhere. */
#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

int ls_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int ls_epoll_add(int epoll, int descriptor, uint64_t token) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = token}};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int ls_epoll_wait(int epoll, uint64_t *tokens, int capacity, int timeout_milliseconds) {
  struct epoll_event events[16];
  if (capacity > 16) capacity = 16;
  int count = epoll_wait(epoll, events, capacity, timeout_milliseconds);
  for (int index = 0; index < count; index++) tokens[index] = events[index].data.u64;
  return count;
}

int ls_write_out(int descriptor) {
  return sync_file_range(descriptor, 0, 0,
                         SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
}

int ls_clock_is_synchronized(void) {
  struct timex state = {0};
  int status = adjtimex(&state);
  return status >= 0 && status != TIME_ERROR && !(state.status & STA_UNSYNC);
}

int ls_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
int ls_timerfd(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK); }

int ls_clock_set_timerfd(void) {
  int descriptor = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  /* The year 2255: only a change of the clock makes it readable. */
  struct itimerspec never = {{0, 0}, {9000000000, 0}};
  if (descriptor < 0) return -1;
  if (timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, 0) == 0) return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

int ls_timerfd_set(int descriptor, int64_t nanoseconds) {
  struct itimerspec spec = {{0, 0}, {nanoseconds / 1000000000, (long)(nanoseconds % 1000000000)}};
  return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &spec, 0);
}

void ls_keep_little_freed_memory(void) {
  /* Threads come and go with devices; each of a few arenas would keep what the greatest of them ever held. */
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  mallopt(M_TRIM_THRESHOLD, 128 * 1024);
}

void ls_return_freed_memory(void) { malloc_trim(0); }

uint64_t ls_freed_memory(void) { return mallinfo2().fordblks; }

int ls_usable_processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

void ls_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

int ls_start_thread(unsigned long *thread, size_t stack_size, void *(*body)(void *), void *context) {
  pthread_attr_t attributes;
  int status = pthread_attr_init(&attributes);
  if (status != 0) return status;
  status = pthread_attr_setstacksize(&attributes, stack_size);
  if (status == 0) status = pthread_create(thread, &attributes, body, context);
  pthread_attr_destroy(&attributes);
  return status;
}

static struct ls_address ls_address_from(const struct sockaddr *source) {
  struct ls_address result = {0, 0, 0, 0};
  if (source->sa_family == AF_INET) {
    const struct sockaddr_in *ipv4 = (const void *)source;
    result.high = (uint64_t)ntohl(ipv4->sin_addr.s_addr) << 32;
    result.port = ntohs(ipv4->sin_port);
  } else if (source->sa_family == AF_INET6) {
    const struct sockaddr_in6 *ipv6 = (const void *)source;
    for (int index = 0; index < 8; index++) {
      result.high = result.high << 8 | ipv6->sin6_addr.s6_addr[index];
      result.low = result.low << 8 | ipv6->sin6_addr.s6_addr[index + 8];
    }
    result.port = ntohs(ipv6->sin6_port);
    result.is_ipv6 = 1;
  }
  return result;
}

static socklen_t ls_address_to(struct ls_address source, struct sockaddr_storage *target) {
  memset(target, 0, sizeof *target);
  if (!source.is_ipv6) {
    struct sockaddr_in *ipv4 = (struct sockaddr_in *)target;
    ipv4->sin_family = AF_INET;
    ipv4->sin_addr.s_addr = htonl((uint32_t)(source.high >> 32));
    ipv4->sin_port = htons(source.port);
    return sizeof *ipv4;
  }
  struct sockaddr_in6 *ipv6 = (struct sockaddr_in6 *)target;
  ipv6->sin6_family = AF_INET6;
  for (int index = 0; index < 8; index++) {
    ipv6->sin6_addr.s6_addr[index] = (uint8_t)(source.high >> (56 - 8 * index));
    ipv6->sin6_addr.s6_addr[index + 8] = (uint8_t)(source.low >> (56 - 8 * index));
  }
  ipv6->sin6_port = htons(source.port);
  return sizeof *ipv6;
}

int ls_udp_open(struct ls_address local, int receive_bytes, int send_bytes) {
  int family = local.is_ipv6 ? AF_INET6 : AF_INET;
  int descriptor = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -1;
  int on = 1;
  if (local.is_ipv6) {
    setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    setsockopt(descriptor, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
  } else {
    setsockopt(descriptor, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  }
  setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
  setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &send_bytes, sizeof send_bytes);
  struct sockaddr_storage storage;
  socklen_t length = ls_address_to(local, &storage);
  if (bind(descriptor, (struct sockaddr *)&storage, length) < 0) {
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
  }
  return descriptor;
}

uint16_t ls_udp_port(int descriptor) {
  struct sockaddr_storage storage;
  socklen_t length = sizeof storage;
  if (getsockname(descriptor, (struct sockaddr *)&storage, &length) < 0) return 0;
  return ls_address_from((struct sockaddr *)&storage).port;
}

struct ls_receive_batch {
  struct mmsghdr messages[LS_BATCH];
  struct iovec vectors[LS_BATCH];
  struct sockaddr_storage sources[LS_BATCH];
  _Alignas(struct cmsghdr) char controls[LS_BATCH][128];
};

int ls_udp_receive(int descriptor, struct ls_receive_batch *batch, uint8_t *memory, size_t stride) {
  for (int index = 0; index < LS_BATCH; index++) {
    batch->vectors[index] = (struct iovec){memory + stride * (size_t)index, stride};
    batch->messages[index].msg_hdr = (struct msghdr){
        .msg_name = &batch->sources[index],
        .msg_namelen = sizeof batch->sources[index],
        .msg_iov = &batch->vectors[index],
        .msg_iovlen = 1,
        .msg_control = batch->controls[index],
        .msg_controllen = sizeof batch->controls[index],
    };
  }
  return recvmmsg(descriptor, batch->messages, LS_BATCH, MSG_DONTWAIT, 0);
}

size_t ls_received_length(const struct ls_receive_batch *batch, int index) {
  return batch->messages[index].msg_hdr.msg_flags & MSG_TRUNC ? 0 : batch->messages[index].msg_len;
}

struct ls_address ls_received_source(const struct ls_receive_batch *batch, int index) {
  return ls_address_from((const struct sockaddr *)&batch->sources[index]);
}

struct ls_address ls_received_destination(struct ls_receive_batch *batch, int index) {
  struct ls_address result = {0, 0, 0, 0};
  struct msghdr *header = &batch->messages[index].msg_hdr;
  for (struct cmsghdr *control = CMSG_FIRSTHDR(header); control; control = CMSG_NXTHDR(header, control)) {
    if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_PKTINFO) {
      struct in_pktinfo info;
      memcpy(&info, CMSG_DATA(control), sizeof info);
      result.high = (uint64_t)ntohl(info.ipi_addr.s_addr) << 32;
    } else if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_PKTINFO) {
      struct in6_pktinfo info;
      memcpy(&info, CMSG_DATA(control), sizeof info);
      struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = info.ipi6_addr};
      result = ls_address_from((const struct sockaddr *)&address);
    }
  }
  return result;
}

struct ls_send_batch {
  struct mmsghdr messages[LS_BATCH];
  struct iovec vectors[LS_BATCH];
  struct sockaddr_storage targets[LS_BATCH];
  _Alignas(struct cmsghdr) char controls[LS_BATCH][128];
};

struct ls_send_batch *ls_send_batch_make(void) { return calloc(1, sizeof(struct ls_send_batch)); }

void ls_send_batch_free(struct ls_send_batch *batch) { free(batch); }

/* Writes one control message at `place` and returns the room that it takes. */
static size_t put_control(void *place, int level, int type, const void *data, size_t count) {
  struct cmsghdr *entry = place;
  *entry = (struct cmsghdr){.cmsg_len = CMSG_LEN(count), .cmsg_level = level, .cmsg_type = type};
  memcpy(CMSG_DATA(entry), data, count);
  return CMSG_SPACE(count);
}

static size_t put_source(char *place, struct ls_address source) {
  if (!source.is_ipv6) {
    struct in_pktinfo info = {.ipi_spec_dst = {.s_addr = htonl((uint32_t)(source.high >> 32))}};
    return put_control(place, IPPROTO_IP, IP_PKTINFO, &info, sizeof info);
  }
  struct sockaddr_storage local;
  ls_address_to(source, &local);
  struct in6_pktinfo info = {.ipi6_addr = ((struct sockaddr_in6 *)&local)->sin6_addr};
  return put_control(place, IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof info);
}

void ls_send_batch_set(struct ls_send_batch *batch, int index, const struct ls_message *message) {
  char *controls = batch->controls[index];
  size_t length = put_source(controls, message->source);
  if (message->segment > 0) {
    length += put_control(controls + length, SOL_UDP, UDP_SEGMENT, &message->segment, sizeof message->segment);
  }
  batch->vectors[index] = (struct iovec){(void *)message->bytes, message->count};
  batch->messages[index].msg_hdr = (struct msghdr){
      .msg_name = &batch->targets[index],
      .msg_namelen = ls_address_to(message->target, &batch->targets[index]),
      .msg_iov = &batch->vectors[index],
      .msg_iovlen = 1,
      .msg_control = controls,
      .msg_controllen = length,
  };
}

int ls_send_batch_send(int descriptor, struct ls_send_batch *batch, int first, int end) {
  int count = sendmmsg(descriptor, batch->messages + first, (unsigned)(end - first), MSG_DONTWAIT | MSG_NOSIGNAL);
  return count < 0 ? -errno : count;
}

struct ls_receive_batch *ls_receive_batch_make(void) { return calloc(1, sizeof(struct ls_receive_batch)); }

void ls_receive_batch_free(struct ls_receive_batch *batch) { free(batch); }

static int is_usable(const struct ifaddrs *entry) {
  /* Running means that the cable is in, too. */
  unsigned wanted = IFF_UP | IFF_RUNNING;
  if (!entry->ifa_addr || (entry->ifa_flags & wanted) != wanted) return 0;
  if (entry->ifa_addr->sa_family == AF_INET) return 1;
  if (entry->ifa_addr->sa_family != AF_INET6) return 0;
  const struct sockaddr_in6 *ipv6 = (const void *)entry->ifa_addr;
  return !IN6_IS_ADDR_LINKLOCAL(&ipv6->sin6_addr);
}

int ls_interface_addresses(struct ls_address *addresses, int capacity) {
  struct ifaddrs *list = 0;
  int count = 0;
  if (getifaddrs(&list) < 0) return 0;
  for (struct ifaddrs *entry = list; entry && count < capacity; entry = entry->ifa_next) {
    if (is_usable(entry)) addresses[count++] = ls_address_from(entry->ifa_addr);
  }
  freeifaddrs(list);
  return count;
}

int ls_address_changes_open(void) {
  struct sockaddr_nl local = {
      .nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (descriptor < 0) return -1;
  if (bind(descriptor, (struct sockaddr *)&local, sizeof local) == 0) return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

int ls_address_changes_drain(int descriptor) {
  /* The state is re-read in full elsewhere, so their octets do not matter. */
  char octets[64];
  int count = 0;
  for (int left = 64; left > 0; left--) {
    if (recv(descriptor, octets, sizeof octets, MSG_DONTWAIT | MSG_TRUNC) < 0 && errno != ENOBUFS) break;
    count++;
  }
  return count > 0;
}

int ls_epoll_watch_output(int epoll, int descriptor, uint64_t token, int is_wanted) {
  struct epoll_event event = {.events = is_wanted ? EPOLLIN | EPOLLOUT : EPOLLIN, .data = {.u64 = token}};
  return epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event);
}

static void ls_configure_stream(int descriptor) {
  int on = 1, max_unsent = 16 * 1024, max_unanswered = 15 * 1000;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  /* What waits in the kernel is old when it leaves: let it wait where it can be left out. */
  setsockopt(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &max_unsent, sizeof max_unsent);
  setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &max_unanswered, sizeof max_unanswered);
}

int ls_connect(struct ls_address server, int is_stream) {
  int kind = (is_stream ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC | SOCK_NONBLOCK;
  int descriptor = socket(server.is_ipv6 ? AF_INET6 : AF_INET, kind, 0);
  if (descriptor < 0) return -1;
  int buffer = 256 * 1024;
  if (is_stream) ls_configure_stream(descriptor);
  else setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
  struct sockaddr_storage storage;
  socklen_t length = ls_address_to(server, &storage);
  if (connect(descriptor, (struct sockaddr *)&storage, length) == 0 || errno == EINPROGRESS) return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

int ls_local_address(int descriptor, struct ls_address *address) {
  struct sockaddr_storage storage;
  socklen_t length = sizeof storage;
  if (getsockname(descriptor, (struct sockaddr *)&storage, &length) < 0) return -1;
  *address = ls_address_from((struct sockaddr *)&storage);
  return 0;
}

int ls_socket_error(int descriptor) {
  int error = 0;
  socklen_t length = sizeof error;
  return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) < 0 ? errno : error;
}

long ls_receive(int descriptor, void *bytes, size_t capacity) { return recv(descriptor, bytes, capacity, MSG_DONTWAIT); }

long ls_send(int descriptor, const void *bytes, size_t count) {
  return send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int ls_resolve(const char *host, uint16_t port, struct ls_address *addresses, int capacity) {
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM};
  struct addrinfo *list = 0;
  int status = getaddrinfo(host, 0, &hints, &list);
  if (status != 0) return status;
  int count = 0;
  for (struct addrinfo *entry = list; entry && count < capacity; entry = entry->ai_next) {
    struct ls_address address = ls_address_from(entry->ai_addr);
    address.port = port;
    addresses[count++] = address;
  }
  freeaddrinfo(list);
  return count;
}

int ls_owner(const char *path, uint32_t *user, uint32_t *group) {
  struct stat status;
  if (stat(path, &status) != 0) return -1;
  *user = status.st_uid;
  *group = status.st_gid;
  return 0;
}

ssize_t ls_access_list(int descriptor, uint8_t *bytes, size_t capacity) {
  return fgetxattr(descriptor, "system.posix_acl_access", bytes, capacity);
}

int ls_give_from_root(const char *path, int is_folder, uint32_t user, uint32_t group) {
  int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return -1;
  struct stat status;
  int result = fstat(descriptor, &status);
  if (result == 0) {
    int is_wanted = is_folder ? S_ISDIR(status.st_mode) : S_ISREG(status.st_mode) && status.st_nlink == 1;
    result = is_wanted && status.st_uid == 0 ? fchown(descriptor, user, group) : -1;
  }
  close(descriptor);
  return result;
}

int ls_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC) < 0) return -1;
  return fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

int ls_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

void ls_pipe_enlarge(int descriptor, int bytes) {
  /* Where the limit of fs.pipe-user-pages-soft is reached, a pipe keeps what it has. */
  while (bytes > 65536 && fcntl(descriptor, F_SETPIPE_SZ, bytes) < 0) bytes /= 2;
}

int ls_readable_bytes(int descriptor) {
  int count = 0;
  return ioctl(descriptor, FIONREAD, &count) < 0 ? 0 : count;
}

/* From here to execve only what is safe after vfork(2): system calls, and nothing of the parent's memory is changed. */

static int ls_give_file(int source, int target) {
  if (source < 0) source = open("/dev/null", O_RDWR);
  if (source < 0) return -1;
  /* One that has its number already keeps FD_CLOEXEC otherwise. */
  return source == target ? fcntl(target, F_SETFD, 0) : dup2(source, target);
}

static int ls_give_files(const struct ls_program *program) {
  const int files[] = {program->files.input, program->files.output, program->files.error};
  for (int target = 0; target < 3; target++) {
    if (ls_give_file(files[target], target) < 0) return -1;
  }
  for (int index = 0; index < program->input_count; index++) {
    if (ls_give_file(program->inputs[index], 3 + index) < 0) return -1;
  }
  return 0;
}

/* Whatever is open from `first` on closes with execve: the pipe by which failures are reported among it. */
static void ls_close_at_exec(int first) {
  struct rlimit limit;
  if (syscall(SYS_close_range, first, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */) == 0) return;
  /* Kernels before 5.11. */
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 65536) limit.rlim_cur = 65536;
  for (int descriptor = first; descriptor < (int)limit.rlim_cur; descriptor++) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

static void ls_default_signals(void) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &action, 0);
}

static int ls_become(const struct ls_program *program, pid_t parent, const sigset_t *mask) {
  if (program->ends_with_thread) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0) return -1;
    /* It ended before that. */
    if (getppid() != parent) _exit(127);
  }
  if (program->variables) {
    if (setpgid(0, 0) < 0 || chdir("/") < 0) return -1;
    ls_default_signals();
  }
  if (ls_give_files(program) < 0) return -1;
  ls_close_at_exec(3 + program->input_count);
  if (sigprocmask(SIG_SETMASK, mask, 0) < 0) return -1;
  return execve(program->path, program->arguments, program->variables ? program->variables : environ);
}

/* Returns the process, or -1 and errno. The failure of what the child does is written to `report`. */
static pid_t ls_fork(const struct ls_program *program, const sigset_t *mask, int report) {
  pid_t parent = getpid();
  pid_t child = vfork();
  if (child != 0) return child;
  ls_become(program, parent, mask);
  int failure = errno;
  ssize_t written = write(report, &failure, sizeof failure);
  _exit(written == sizeof failure ? 127 : 126);
}

/* The errno that the child has reported, which is reaped then; 0 when it has become the program. */
static int ls_await_exec(pid_t child, int report) {
  int failure = 0;
  ssize_t count;
  do {
    count = read(report, &failure, sizeof failure);
  } while (count < 0 && errno == EINTR);
  if (count != sizeof failure) return 0;
  while (waitpid(child, 0, 0) < 0 && errno == EINTR) {}
  return failure ? failure : ENOEXEC;
}

int ls_spawn(const struct ls_program *program, pid_t *process) {
  int ends[2], failure;
  if (pipe2(ends, O_CLOEXEC) < 0) return errno;
  /* Out of the way of the numbers that the program's files get. */
  int report = fcntl(ends[1], F_DUPFD_CLOEXEC, 512);
  failure = report < 0 ? errno : 0;
  close(ends[1]);
  if (!failure) {
    sigset_t all, before, none;
    sigfillset(&all);
    sigemptyset(&none);
    /* No handler of this process runs in the child, which shares its memory until execve. */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = ls_fork(program, program->variables ? &none : &before, report);
    failure = child < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, 0);
    close(report);
    if (!failure) failure = ls_await_exec(child, ends[0]);
    if (!failure) *process = child;
  }
  close(ends[0]);
  return failure;
}
