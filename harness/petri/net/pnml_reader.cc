// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <expat.h>
#include <istream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/petri/net/pnml.h"
#include "harness/petri/net/pnml_draft.h"

namespace lockbench {
namespace {

using internal::Line;

constexpr std::size_t kPiece = 1U << 16;
constexpr std::size_t kLongestText = 1000;     // of a name or number
constexpr std::size_t kLongestTag = 1U << 20;  // bytes; of a comment and the like, too
constexpr std::size_t kDeepest = 100;          // elements within each other
// The bytes that the parser may hold back. A parser that defers reparsing tries an incomplete tag
// again only when twice as much of it has arrived, and then needs no more than one piece.
constexpr std::size_t kMostHeldBack = 2 * kLongestTag + kPiece;

std::string trimmed(const std::string& text) {
  const auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  const auto begin = std::find_if_not(text.begin(), text.end(), space);
  const auto end = std::find_if_not(text.rbegin(), std::make_reverse_iterator(begin), space);
  return {begin, end.base()};
}

class Reader {
 public:
  explicit Reader(std::string name) : draft_(std::move(name)), parser_(XML_ParserCreate(nullptr)) {
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_text);
    XML_SetEntityDeclHandler(parser_.get(), on_entity);
    XML_SetDefaultHandlerExpand(parser_.get(), on_other);
  }

  absl::StatusOr<Net> read(std::istream& in) {
    std::size_t fed = 0;
    for (bool last = false; !last;) {
      void* const buffer = XML_GetBuffer(parser_.get(), static_cast<int>(kPiece));
      if (buffer == nullptr) return at(line(), "there is no memory to read it");
      in.read(static_cast<char*>(buffer), static_cast<std::streamsize>(kPiece));
      const auto got = static_cast<std::size_t>(in.gcount());
      last = got < kPiece;
      fed += got;
      const XML_Status status = XML_ParseBuffer(parser_.get(), static_cast<int>(got), last);
      if (!error_.ok()) return error_;
      if (status == XML_STATUS_ERROR) return not_xml();
      if (fed - parsed_ > kMostHeldBack) return at(line(), kTagTooLong);
    }
    if (!in_net_) return at(line(), "holds no net; a PNML document has <net> within <pnml>");
    return draft_.finished(line());
  }

 private:
  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  static constexpr const char* kTagTooLong =
      "one tag of more than a megabyte; a net has none that long";

  static Reader& self(void* reader) { return *static_cast<Reader*>(reader); }
  static void on_start(void* reader, const XML_Char* tag, const XML_Char** attributes) {
    self(reader).note_markup();
    if (self(reader).error_.ok()) self(reader).start(self(reader).local(tag), attributes);
  }
  static void on_end(void* reader, const XML_Char* tag) {
    self(reader).note_markup();
    if (self(reader).error_.ok()) self(reader).end(self(reader).local(tag));
  }
  static void on_text(void* reader, const XML_Char* text, int length) {
    Reader& r = self(reader);
    r.note_parsed();  // text has no bound of its own: the parser hands it on in parts
    if (!r.wants_text_ || !r.error_.ok()) return;
    r.text_.append(text, static_cast<std::size_t>(length));
    if (r.text_.size() > kLongestText) {
      r.refuse("a name or number of more than " + std::to_string(kLongestText) +
               " bytes; shorten it");
    }
  }
  static void on_entity(void* reader, const XML_Char* entity, int, const XML_Char*, int,
                        const XML_Char*, const XML_Char*, const XML_Char*, const XML_Char*) {
    self(reader).refuse(std::string("declares the entity '") + entity +
                        "'; a net needs none: write out what it stands for");
  }

  // Comments, processing instructions and the like.
  static void on_other(void* reader, const XML_Char*, int) { self(reader).note_markup(); }

  // The parser reports its position only while it calls a handler.
  void note_parsed() {
    parsed_ = static_cast<std::size_t>(XML_GetCurrentByteIndex(parser_.get()) +
                                       XML_GetCurrentByteCount(parser_.get()));
  }
  void note_markup() {
    note_parsed();
    if (static_cast<std::size_t>(XML_GetCurrentByteCount(parser_.get())) > kLongestTag) {
      refuse(kTagTooLong);
    }
  }

  // The name without a namespace's prefix.
  std::string local(const char* tag) const {
    const char* const colon = std::strrchr(tag, ':');
    return colon == nullptr ? tag : colon + 1;
  }

  Line line() const { return XML_GetCurrentLineNumber(parser_.get()); }
  absl::Status at(Line where, const std::string& what) const { return draft_.at(where, what); }
  void refuse(const std::string& what) {
    if (!error_.ok()) return;
    error_ = at(line(), what);
    XML_StopParser(parser_.get(), XML_FALSE);
  }
  absl::Status not_xml() const {
    return at(line(), std::string("not well-formed XML: ") +
                          XML_ErrorString(XML_GetErrorCode(parser_.get())) +
                          "; is the file whole?");
  }

  static std::string attribute(const XML_Char** attributes, const char* name) {
    for (; *attributes != nullptr; attributes += 2) {
      if (std::strcmp(attributes[0], name) == 0) return attributes[1];
    }
    return {};
  }

  bool within(const char* tag) const {
    return std::find(path_.begin(), path_.end(), tag) != path_.end();
  }
  std::string parent() const { return path_.empty() ? "" : path_.back(); }

  void start(const std::string& tag, const XML_Char** attributes) {
    if (path_.empty() && tag != "pnml") {
      return refuse("begins with <" + tag + ">; a PNML document begins with <pnml>");
    }
    if (path_.size() == kDeepest) return refuse("nested too deeply; the most is 100 levels");
    wants_text_ = tag == "text" || tag == "value" || tag == "event";
    text_.clear();
    if (tag == "net") {
      start_net(attributes);
    } else if (within("finalmarkings")) {
      if (tag == "place") start_final(attributes);
    } else if (tag == "absence" && within("place")) {
      // The element may be in a place that is itself within the data of a tool.
      if (draft_.has_place()) draft_.place().absence = true;
    } else if (!within("toolspecific")) {
      start_node(tag, attributes);
    }
    path_.push_back(tag);
  }

  void start_net(const XML_Char** attributes) {
    if (in_net_) return refuse("a second net; put each in a file of its own");
    in_net_ = true;
    draft_.set_name(attribute(attributes, "id"));
    std::string type = attribute(attributes, "type");
    std::transform(type.begin(), type.end(), type.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string kind = type.substr(type.find_last_of("/#") + 1);
    if (!kind.empty() && kind != "ptnet" && kind != "pt-net" && kind != "p/t net") {
      refuse("a net of type '" + attribute(attributes, "type") +
             "'; only place/transition nets (.../ptnet) are read");
    }
  }

  void start_final(const XML_Char** attributes) {
    const std::string wrong =
        draft_.add_final({.place = attribute(attributes, "idref"), .tokens = 1, .line = line()});
    if (!wrong.empty()) refuse(wrong);
  }

  void start_node(const std::string& tag, const XML_Char** attributes) {
    const std::string id = attribute(attributes, "id");
    std::string wrong;
    if (tag == "place") {
      wrong = draft_.add_place(id);
    } else if (tag == "transition") {
      wrong = draft_.add_transition(id);
    } else if (tag == "arc") {
      wrong = draft_.add_arc({.id = id,
                              .source = attribute(attributes, "source"),
                              .target = attribute(attributes, "target"),
                              .line = line()});
    } else if (tag == "referencePlace" || tag == "referenceTransition") {
      wrong = draft_.add_reference(id, attribute(attributes, "ref"));
    } else if (tag == "type" && parent() == "arc") {
      const std::string kind = attribute(attributes, "value");
      if (!kind.empty() && kind != "normal") {
        wrong = "an arc of type '" + kind + "'; only normal arcs are read";
      }
    }
    if (!wrong.empty()) refuse(wrong);
  }

  void end(const std::string& tag) {
    path_.pop_back();
    if (tag == "text" || tag == "value") {
      take_text(trimmed(text_));
    } else if (tag == "event" && within("transition") && draft_.has_transition()) {
      const std::string text = trimmed(text_);
      draft_.transition().event.reset();
      if (!text.empty()) draft_.transition().event = parse_event(text);
    }
    if (!wants_text_) return;
    wants_text_ = false;
    if (const std::string wrong = draft_.count_name(text_); !wrong.empty()) refuse(wrong);
  }

  void take_text(const std::string& text) {
    const std::string owner = path_.size() < 2 ? "" : path_[path_.size() - 2];
    if (within("finalmarkings")) {
      if (parent() == "place" && draft_.has_final_tokens())
        take_number(text, "tokens", 0, draft_.final_token().tokens);
    } else if (within("toolspecific")) {
      return;
    } else if (parent() == "name" && owner == "place") {
      set_full_label(text, draft_.place().owner, draft_.place().label);
    } else if (parent() == "name" && owner == "transition") {
      set_full_label(text, draft_.transition().owner, draft_.transition().label);
    } else if (parent() == "name" && (owner == "net")) {
      draft_.set_name(text);
    } else if (parent() == "initialMarking" && owner == "place") {
      take_number(text, "tokens", 0, draft_.place().tokens);
    } else if (parent() == "inscription" && owner == "arc") {
      take_number(text, "weight", 1, draft_.arc().weight);
    }
  }

  // Some tools write the token's colour before the number: `Default,1`.
  void take_number(const std::string& text, const std::string& what, std::uint32_t least,
                   std::uint32_t& number) {
    const std::string digits = text.substr(text.find_last_of(',') + 1);
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool whole = error == std::errc{} && stop == digits.data() + digits.size();
    if (!whole || value < least || value > kMostTokens) {
      return refuse(what + " '" + text + "' must be a whole number from " + std::to_string(least) +
                    " to " + std::to_string(kMostTokens));
    }
    number = static_cast<std::uint32_t>(value);
  }

  internal::PnmlDraft draft_;
  const std::unique_ptr<XML_ParserStruct, Free> parser_;
  absl::Status error_;
  std::size_t parsed_ = 0;  // bytes, to the end of what a handler was last called for
  bool in_net_ = false;
  std::vector<std::string> path_;  // open elements, outermost first
  bool wants_text_ = false;
  std::string text_;
};

}  // namespace

absl::StatusOr<Net> read_pnml(std::istream& in, const std::string& name) {
  return Reader(name).read(in);
}

}  // namespace lockbench
