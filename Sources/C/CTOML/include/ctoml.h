// A C view of a parsed TOML document: its nodes in document pre-order, each with the place it was written at.
#ifndef CTOML_H
#define CTOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ctoml_kind {
  CTOML_TABLE,
  CTOML_ARRAY,
  CTOML_STRING,
  CTOML_INTEGER,
  CTOML_FLOAT,
  CTOML_BOOLEAN,
  // A date, time or date-time; its text is not carried.
  CTOML_DATE_TIME,
} ctoml_kind;

// Lines and columns count from one; a column is a Unicode code point. Zero means unknown.
typedef struct ctoml_position {
  uint32_t line;
  uint32_t column;
} ctoml_position;

// Bytes that belong to the document.
typedef struct ctoml_text {
  const char *bytes;
  size_t count;
} ctoml_text;

typedef struct ctoml_node {
  ctoml_kind kind;
  ctoml_position position;
  // Empty, at position zero, for the root and for elements of arrays.
  ctoml_text key;
  ctoml_position key_position;
  // How many of the following nodes are direct children (tables and arrays).
  size_t child_count;
  ctoml_text string;
  int64_t integer;
  double floating_point;
  bool boolean;
} ctoml_node;

typedef struct ctoml_document ctoml_document;

// Parses UTF-8 text. Returns NULL only when memory is exhausted; otherwise the caller frees the document.
ctoml_document *ctoml_parse(const char *bytes, size_t count);
void ctoml_free(ctoml_document *document);

// The first syntax error, or an empty text when the document is well formed.
ctoml_text ctoml_error(const ctoml_document *document);
ctoml_position ctoml_error_position(const ctoml_document *document);

// Nodes in pre-order, the root table first; none when there was a syntax error.
size_t ctoml_node_count(const ctoml_document *document);
ctoml_node ctoml_node_at(const ctoml_document *document, size_t index);

#ifdef __cplusplus
}
#endif

#endif
