// Loaded before everything else (LD_PRELOAD), it loses a folder as if its drive were full or its
// network gone: from some call on, all calls on files below it fail.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>

namespace {

std::atomic<long> num_left{LONG_MAX};  // calls before the drive is lost
// Shared with processes that are forked, so that the first one can ask.
std::atomic<long>& num_seen = *new (mmap(nullptr, sizeof(std::atomic<long>), PROT_READ | PROT_WRITE,
                                         MAP_SHARED | MAP_ANONYMOUS, -1, 0)) std::atomic<long>(0);
int failure = EIO;
bool only_writes = false;  // full, not lost
char folder[PATH_MAX] = "";

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_below(const char* path) {
  if (folder[0] == 0 || path == nullptr) return false;
  if (path[0] != '/') {
    // A relative path; the programs that are tried stay in one working directory.
    char here[PATH_MAX];
    if (getcwd(here, sizeof here) == nullptr) return false;
    return std::strncmp(here, folder, std::strlen(folder)) == 0;
  }
  return std::strncmp(path, folder, std::strlen(folder)) == 0;
}

bool is_below(int file) {
  if (folder[0] == 0) return false;
  char name[64], path[PATH_MAX];
  std::snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  static auto* const real = next<ssize_t(const char*, char*, size_t)>("readlink");
  const ssize_t length = real(name, path, sizeof path - 1);
  if (length <= 0) return false;
  path[length] = 0;
  return is_below(path);
}

// Whether this call, which concerns the folder, fails.
template <class Place>
bool fails(Place place, bool writes) {
  if (!is_below(place) || (only_writes && !writes)) return false;
  num_seen.fetch_add(1);
  if (num_left.load() > 0 && num_left.fetch_sub(1) > 0) return false;
  errno = failure;
  return true;
}

}  // namespace

// Lets so many calls on files below a folder succeed, then none; returns how many there were since
// the last call of this function.
extern "C" long lose_drive(const char* path, long after, int error, int is_full) {
  std::snprintf(folder, sizeof folder, "%s", path);
  failure = error;
  only_writes = is_full != 0;
  num_left = after < 0 ? LONG_MAX : after;
  return num_seen.exchange(0);
}

extern "C" {

ssize_t write(int file, const void* data, size_t size) {
  static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
  return fails(file, true) ? -1 : real(file, data, size);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t offset) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return fails(file, true) ? -1 : real(file, data, size, offset);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t offset) {
  return pwrite64(file, data, size, offset);
}

ssize_t read(int file, void* data, size_t size) {
  static auto* const real = next<ssize_t(int, void*, size_t)>("read");
  return fails(file, false) ? -1 : real(file, data, size);
}

ssize_t pread64(int file, void* data, size_t size, off64_t offset) {
  static auto* const real = next<ssize_t(int, void*, size_t, off64_t)>("pread64");
  return fails(file, false) ? -1 : real(file, data, size, offset);
}

ssize_t pread(int file, void* data, size_t size, off_t offset) {
  return pread64(file, data, size, offset);
}

int fsync(int file) {
  static auto* const real = next<int(int)>("fsync");
  return fails(file, true) ? -1 : real(file);
}

int ftruncate64(int file, off64_t size) {
  static auto* const real = next<int(int, off64_t)>("ftruncate64");
  return fails(file, true) ? -1 : real(file, size);
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

int open64(const char* path, int flags, ...) {
  static auto* const real = next<int(const char*, int, ...)>("open64");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return fails(path, (flags & O_CREAT) != 0) ? -1 : real(path, flags, mode);
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open64(path, flags, mode);
}

int rename(const char* from, const char* to) {
  static auto* const real = next<int(const char*, const char*)>("rename");
  return fails(to, true) ? -1 : real(from, to);
}

int mkdir(const char* path, mode_t mode) {
  static auto* const real = next<int(const char*, mode_t)>("mkdir");
  return fails(path, true) ? -1 : real(path, mode);
}

int unlink(const char* path) {
  static auto* const real = next<int(const char*)>("unlink");
  return fails(path, false) ? -1 : real(path);
}

}
