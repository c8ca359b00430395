/* Gives back the memory of a VP8 encoder that it has cleared and never used.

   libvpx clears room for the tokens of the worst frame that could be: 6 kB a macroblock, 50 MB at 1920x1080, of which a frame at
   any usual rate takes a tenth. Pages that are given back read as zeros again, which is what they held.

   libvpx does not say where that room is. It is looked for in the encoder's own structures: two pointers away, in a block that
   vpx_mem.c has noted the beginning of, with exactly the size that glibc maps for it. Where libvpx or the C library
   does that in another way, nothing is found, and nothing happens. */
#ifndef LIVESESSIONS_CVPX_UNTOUCHED_H
#define LIVESESSIONS_CVPX_UNTOUCHED_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <vpx/vpx_encoder.h>

enum {
  /* Macroblock's blocks of coefficients in 24 and 16 (vp8_alloc_compressor_data). */
  CVPX_TOKENS_PER_MACROBLOCK = 24 * 16,
  /* Larger structures are frames. */
  CVPX_LARGEST_STRUCTURE = 1 << 20,
  /* From the codec's context to its tokens: vpx_codec_alg_priv, VP8_COMP. */
  CVPX_STRUCTURES = 2,
};

/* As libvpx' tokenize.h has it. */
struct cvpx_token {
  const uint8_t *context;
  int16_t extra;
  uint8_t token, skip_end_of_block;
};

/* A block of vpx_mem.c. */
struct cvpx_block {
  /* What malloc returned. */
  char *allocation;
  /* Of glibc's chunk, its header included; its lowest bits are flags. */
  size_t chunk;
};

/* Copies memory that may not be there; returns whether it was. */
static inline int cvpx_peek(const void *from, void *to, size_t size) {
  struct iovec target = {to, size}, source = {(void *)from, size};
  /* The C library declares it only with _GNU_SOURCE, which an importer may not have. */
  return syscall(SYS_process_vm_readv, getpid(), &target, 1UL, &source, 1UL, 0UL) == (long)size;
}

/* Whether a word is a pointer to a block. */
static inline int cvpx_find_block(uintptr_t word, struct cvpx_block *block) {
  const size_t alignment = 2 * sizeof(void *), most = 64;
  if (word % alignment != 0 || word < 65536) return 0;
  if (!cvpx_peek((const char *)word - sizeof(void *), &block->allocation, sizeof(void *))) return 0;
  uintptr_t allocation = (uintptr_t)block->allocation;
  if (allocation % alignment != 0 || allocation >= word || word - allocation > most) return 0;
  return cvpx_peek(block->allocation - sizeof(size_t), &block->chunk, sizeof(size_t));
}

/* The chunk that glibc maps for the tokens; its second lowest bit says that it is mapped. */
static inline size_t cvpx_token_chunk(unsigned width, unsigned height, size_t page) {
  size_t macroblocks = (size_t)((width + 15) / 16) * ((height + 15) / 16), alignment = 2 * sizeof(void *);
  size_t request = macroblocks * CVPX_TOKENS_PER_MACROBLOCK * sizeof(struct cvpx_token) + alignment - 1 + sizeof(void *);
  size_t chunk = (request + sizeof(size_t) + alignment - 1) / alignment * alignment;
  return (chunk + sizeof(size_t) + page - 1) / page * page | 2;
}

/* Looks for a chunk in what the words of a block point at, and in what those point at. */
static inline int cvpx_find_chunk(uintptr_t word, size_t wanted, int structures, struct cvpx_block *found) {
  if (!cvpx_find_block(word, found)) return 0;
  if (found->chunk == wanted) return 1;
  size_t size = found->chunk & ~(size_t)7;
  const char *begin = (const char *)word, *end = found->allocation - 2 * sizeof(size_t) + size;
  if (structures == 0 || size > CVPX_LARGEST_STRUCTURE) return 0;
  uintptr_t words[64];
  for (; begin + sizeof words <= end; begin += sizeof words) {
    if (!cvpx_peek(begin, words, sizeof words)) return 0;
    for (size_t index = 0; index < 64; index++)
      if (cvpx_find_chunk(words[index], wanted, structures - 1, found)) return 1;
  }
  return 0;
}

/* To be called before the first frame. Returns how many bytes were given back. */
static inline size_t cvpx_release_untouched(const vpx_codec_ctx_t *context, unsigned width, unsigned height) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  struct cvpx_block block;
  size_t wanted = cvpx_token_chunk(width, height, page);
  if (!cvpx_find_chunk((uintptr_t)context->priv, wanted, CVPX_STRUCTURES, &block)) return 0;
  /* The first page has the chunk's header. */
  char *begin = block.allocation - 2 * sizeof(size_t) + page;
  size_t size = (wanted & ~(size_t)7) - page;
  return madvise(begin, size, MADV_DONTNEED) == 0 ? size : 0;
}

#endif
