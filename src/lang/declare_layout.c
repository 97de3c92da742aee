// Where the members of a struct or union lie: what gcc does on x86-64, bit for bit. The rules that are easy to miss:
//  - a bit-field moves to the next unit of its type's alignment only if it would otherwise span more units than its
//  type
//    has; under `packed` and `#pragma pack` it never moves;
//  - an unnamed bit-field does not raise the alignment of the whole; one of width 0 aligns what follows it to its type,
//    whatever is packed;
//  - `packed` gives way to an alignment asked for on the member itself, `#pragma pack` gives way to nothing.
#include "lang/parse.h"

#include <assert.h>

struct layout {
    uint64_t position; // bits
    uint64_t end;      // bits; of a union: its longest member
    uint64_t align;    // bits
    uint64_t pack;     // bits; 0: natural
    bool is_union;
    bool is_packed;
};

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
    assert(multiple > 0);
    return (value + multiple - 1) / multiple * multiple;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t member_align(const struct layout *layout, const struct member_declaration *m)
{
    uint64_t type_align = (uint64_t)m->member.type->align * 8;
    uint64_t asked = (uint64_t)m->align * 8;
    bool is_packed = layout->is_packed || m->is_packed;
    uint64_t align = is_packed ? (asked != 0 ? asked : 8) : larger(type_align, asked);
    return layout->pack != 0 && align > layout->pack ? layout->pack : align;
}

static void place_plain(struct layout *layout, const struct member_declaration *m, struct member *out)
{
    uint64_t align = member_align(layout, m);
    layout->position = round_up(layout->position, align);
    layout->align = larger(layout->align, align);
    out->offset = layout->position / 8;
    layout->position += m->member.type->size * 8;
}

static bool spans_too_many(const struct layout *layout, const struct member_declaration *m)
{
    uint64_t align = (uint64_t)m->member.type->align * 8;
    uint64_t units = (layout->position % align + (uint64_t)m->width + align - 1) / align;
    return units > m->member.type->size * 8 / align;
}

static void place_bitfield(struct layout *layout, const struct member_declaration *m, struct member *out)
{
    uint64_t type_align = (uint64_t)m->member.type->align * 8;
    uint64_t size = m->member.type->size * 8;
    if (m->width == 0) {
        layout->position = round_up(layout->position, larger(type_align, (uint64_t)m->align * 8));
        return;
    }
    bool is_packed = layout->is_packed || m->is_packed;
    if (m->align != 0) {
        uint64_t asked = (uint64_t)m->align * 8;
        asked = layout->pack != 0 && asked > layout->pack ? layout->pack : asked;
        layout->position = round_up(layout->position, asked);
        layout->align = m->member.name != NULL ? larger(layout->align, asked) : layout->align;
    }
    bool is_tight = is_packed || layout->pack != 0;
    if (!is_tight && spans_too_many(layout, m)) {
        layout->position = round_up(layout->position, type_align);
    }
    if (m->member.name != NULL) {
        uint64_t align = layout->pack != 0 ? (type_align < layout->pack ? type_align : layout->pack)
                         : is_packed       ? 8
                                           : type_align;
        layout->align = larger(layout->align, align);
    }
    uint64_t unit = is_tight ? 8 : size;
    assert(unit > 0 && (uint64_t)m->width <= size);
    out->offset = layout->position / unit * unit / 8;
    out->bit_offset = (uint8_t)(layout->position % unit);
    out->bit_width = (uint8_t)m->width;
    layout->position += (uint64_t)m->width;
}

void declare_layout(struct parser *p, struct record *record, const struct member_declaration *members, int count,
                    const struct attributes *attributes)
{
    struct layout layout = {
        .align = 8,
        .pack = (uint64_t)p->pack * 8,
        .is_union = record->is_union,
        .is_packed = attributes->is_packed,
    };
    record->members = ARENA_ARRAY(p->arena, struct member, count > 0 ? count : 1);
    for (int i = 0; i < count; i++) {
        const struct member_declaration *m = &members[i];
        struct member placed = m->member;
        if (layout.is_union) {
            layout.position = 0;
        }
        if (m->width >= 0) {
            place_bitfield(&layout, m, &placed);
        } else {
            place_plain(&layout, m, &placed);
        }
        layout.end = larger(layout.end, layout.position);
        if (layout.end > TYPE_MAX_SIZE * 8) {
            parse_error(p, m->member.loc, "the %s is larger than " TYPE_MAX_SIZE_WORDS,
                        record->is_union ? "union" : "struct");
            layout.end = layout.position = 0;
        }
        if (placed.name != NULL || !placed.is_bitfield) {
            record->members[record->member_count++] = placed;
        }
    }
    layout.align = larger(layout.align, (uint64_t)attributes->align * 8);
    record->align = (uint32_t)(layout.align / 8);
    record->size = round_up(round_up(layout.end, 8), layout.align) / 8;
}
