// Wraps toml++ (header only). No exception leaves this file.
#include "ctoml.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

// toml++ turns its assertions into assumptions when NDEBUG is set, and some malformed texts break them. They are kept
// in every build, and one that fails is a syntax error like any other.
#undef NDEBUG
[[noreturn]] static void assertion_failed() { throw std::logic_error("the text is malformed; a table header needs a name"); }
#define TOML_ASSERT(expr) ((expr) ? static_cast<void>(0) : assertion_failed())
#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

// Deeper documents are refused: the walk and toml++'s destructors recurse.
static constexpr size_t maximum_depth = 32;

struct ctoml_document {
  toml::table root;
  std::vector<ctoml_node> nodes;
  std::string error;
  ctoml_position error_position{0, 0};
};

// toml++ bounds the nesting of values but not the length of a dotted key.
static constexpr size_t maximum_key_dots = 100;

static ctoml_position position_of(const toml::source_region &region) {
  return {static_cast<uint32_t>(region.begin.line), static_cast<uint32_t>(region.begin.column)};
}

static ctoml_text text_of(std::string_view text) { return {text.data(), text.size()}; }

static bool append(ctoml_document &document, const toml::node &node, const toml::key *key, size_t depth);

static bool append_children(ctoml_document &document, const toml::node &node, size_t depth) {
  if (const toml::table *table = node.as_table()) {
    for (auto &&[key, child] : *table)
      if (!append(document, child, &key, depth + 1)) return false;
  } else if (const toml::array *array = node.as_array()) {
    for (auto &&child : *array)
      if (!append(document, child, nullptr, depth + 1)) return false;
  }
  return true;
}

static void set_value(ctoml_node &entry, const toml::node &node) {
  if (const toml::table *table = node.as_table()) {
    entry.kind = CTOML_TABLE;
    entry.child_count = table->size();
  } else if (const toml::array *array = node.as_array()) {
    entry.kind = CTOML_ARRAY;
    entry.child_count = array->size();
  } else if (const auto *string = node.as_string()) {
    entry.kind = CTOML_STRING;
    entry.string = text_of(string->get());
  } else if (const auto *integer = node.as_integer()) {
    entry.kind = CTOML_INTEGER;
    entry.integer = integer->get();
  } else if (const auto *number = node.as_floating_point()) {
    entry.kind = CTOML_FLOAT;
    entry.floating_point = number->get();
  } else if (const auto *boolean = node.as_boolean()) {
    entry.kind = CTOML_BOOLEAN;
    entry.boolean = boolean->get();
  } else {
    entry.kind = CTOML_DATE_TIME;
  }
}

static bool append(ctoml_document &document, const toml::node &node, const toml::key *key, size_t depth) {
  ctoml_node entry{};
  entry.position = position_of(node.source());
  if (key) {
    entry.key = text_of(key->str());
    entry.key_position = position_of(key->source());
  }
  set_value(entry, node);
  document.nodes.push_back(entry);
  if (depth >= maximum_depth && entry.child_count > 0) {
    document.error = "tables and arrays are nested too deeply";
    document.error_position = key ? entry.key_position : entry.position;
    document.nodes.clear();
    return false;
  }
  return append_children(document, node, depth);
}

// Finds a run of dots that could be a dotted key long enough to exhaust the stack of recursive destructors.
static bool find_endless_key(std::string_view text, ctoml_position &position) {
  uint32_t line = 1;
  size_t dots = 0;
  bool is_blank = true;
  for (size_t index = 0; index < text.size(); index++) {
    const char byte = text[index];
    if (byte == '\n') {
      line++;
      is_blank = true;
      dots = 0;
    } else if (byte == '#' && is_blank) {
      while (index + 1 < text.size() && text[index + 1] != '\n') index++;
    } else {
      is_blank = is_blank && (byte == ' ' || byte == '\t');
      dots = byte == '.' ? dots + 1 : (byte == '=' || byte == ',') ? 0 : dots;
    }
    if (dots > maximum_key_dots) {
      position = {line, 1};
      return true;
    }
  }
  return false;
}

static bool begins_key(char byte) {
  return byte == '_' || byte == '-' || byte == '"' || byte == '\'' || (byte >= '0' && byte <= '9') ||
         (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

// Where a header such as `[=]` stands, the mistake that toml++ asserts on without naming a place.
static ctoml_position find_nameless_header(std::string_view text) {
  uint32_t line = 1;
  for (size_t start = 0; start < text.size(); line++) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view content = text.substr(start, end - start);
    const size_t bracket = content.find_first_not_of(" \t");
    const size_t name = content.find_first_not_of(" \t[");
    const bool has_bracket = bracket != content.npos && content[bracket] == '[';
    if (has_bracket && (name == content.npos || !begins_key(content[name])))
      return {line, static_cast<uint32_t>(bracket) + 1};
    start = end + 1;
  }
  return {0, 0};
}

static void parse(ctoml_document &document, std::string_view text) {
  if (find_endless_key(text, document.error_position)) {
    document.error = "a line has more than 100 dots";
    return;
  }
  try {
    document.root = toml::parse(text);
    append(document, document.root, nullptr, 0);
  } catch (const toml::parse_error &error) {
    document.error = std::string{error.description()};
    document.error_position = position_of(error.source());
  } catch (const std::logic_error &error) {
    document.error = error.what();
    document.error_position = find_nameless_header(text);
  }
}

ctoml_document *ctoml_parse(const char *bytes, size_t count) {
  try {
    auto document = std::make_unique<ctoml_document>();
    parse(*document, std::string_view{bytes, count});
    return document.release();
  } catch (...) {
    return nullptr;
  }
}

void ctoml_free(ctoml_document *document) { delete document; }

ctoml_text ctoml_error(const ctoml_document *document) { return text_of(document->error); }

ctoml_position ctoml_error_position(const ctoml_document *document) { return document->error_position; }

size_t ctoml_node_count(const ctoml_document *document) { return document->nodes.size(); }

ctoml_node ctoml_node_at(const ctoml_document *document, size_t index) { return document->nodes[index]; }
