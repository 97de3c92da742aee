// The arrays of a row. Their numbers depend on the position alone, so that all builds work on the same.
#include "nests.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static rill_shape shape_of(const struct row *row, const int sizes[MAX_INTS], const char *text)
{
    rill_shape shape = {0};
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '+') {
            shape.extents[shape.rank - 1]++;
            continue;
        }
        const char *letter = strchr(row->sizes, *c);
        assert((isdigit((unsigned char)*c) || letter != NULL) && shape.rank < MAX_RANK);
        shape.extents[shape.rank++] = letter != NULL ? sizes[letter - row->sizes] : *c - '0';
    }
    return shape;
}

static bool is_double(enum fill fill)
{
    return fill == FILL_UNIT || fill == FILL_DOMINANT || fill == FILL_FALLING;
}

// A number of 0 to 1 that looks drawn: the high bits of a product.
static double unit(size_t k, int array)
{
    uint64_t x = ((uint64_t)k + 1) * 0x9e3779b97f4a7c15u + (uint64_t)array * 0xd1b54a32d192ed03u;
    x ^= x >> 31;
    x *= 0xbf58476d1ce4e5b9u;
    return (double)(x >> 40) / (double)(1 << 24);
}

static void fill_doubles(double *out, const struct data *data, int array)
{
    const rill_shape *shape = &data->shapes[array];
    enum fill fill = data->row->arrays[array].fill;
    for (size_t k = 0; k < data->counts[array]; k++) {
        out[k] = fill == FILL_FALLING ? 1.0 / (double)(k + 2) : unit(k, array);
    }
    if (fill == FILL_DOMINANT) {
        size_t width = (size_t)shape->extents[shape->rank - 1];
        size_t height = (size_t)shape->extents[shape->rank - 2];
        for (size_t k = 0; k < data->counts[array]; k++) {
            size_t row = k / width % height;
            out[k] += row == k % width ? (double)width : 0;
        }
    }
}

static void fill_ints(int *out, const struct data *data, int array)
{
    for (size_t k = 0; k < data->counts[array]; k++) {
        double drawn = unit(k, array);
        switch (data->row->arrays[array].fill) {
        case FILL_BASES: out[k] = (int)(drawn * 4); break;
        case FILL_BYTES: out[k] = (int)(drawn * 251); break;
        case FILL_RAMP: out[k] = (int)((int64_t)k * data->sizes[1] / data->sizes[0]); break;
        case FILL_PLACES: out[k] = (int)(drawn * data->sizes[0]); break;
        default: out[k] = 0; break;
        }
    }
}

bool data_init(struct data *data, const struct row *row, const int sizes[MAX_INTS])
{
    *data = (struct data){.row = row, .array_count = row_array_count(row)};
    memcpy(data->sizes, sizes, sizeof data->sizes);
    for (int i = 0; i < data->array_count; i++) {
        bool is_real = is_double(row->arrays[i].fill);
        data->shapes[i] = shape_of(row, sizes, row->arrays[i].shape);
        data->types[i] = is_real ? RILL_F64 : RILL_I32;
        data->counts[i] = 1;
        for (int d = 0; d < data->shapes[i].rank; d++) {
            data->counts[i] *= (size_t)data->shapes[i].extents[d];
        }
        data->bytes[i] = data->counts[i] * (is_real ? sizeof(double) : sizeof(int));
        size_t rounded = (data->bytes[i] + 63) / 64 * 64;
        data->first[i] = aligned_alloc(64, rounded);
        data->arrays[i] = aligned_alloc(64, rounded);
        data->expected[i] = aligned_alloc(64, rounded);
        if (data->first[i] == NULL || data->arrays[i] == NULL || data->expected[i] == NULL) {
            return false;
        }
        if (is_real) {
            fill_doubles(data->first[i], data, i);
        } else {
            fill_ints(data->first[i], data, i);
        }
    }
    return true;
}

void data_finish(struct data *data)
{
    for (int i = 0; i < data->array_count; i++) {
        free(data->first[i]);
        free(data->arrays[i]);
        free(data->expected[i]);
    }
}

void data_reset(struct data *data)
{
    for (int i = 0; i < data->array_count; i++) {
        memcpy(data->arrays[i], data->first[i], data->bytes[i]);
    }
}

void data_expect(struct data *data)
{
    for (int i = 0; i < data->array_count; i++) {
        memcpy(data->expected[i], data->arrays[i], data->bytes[i]);
    }
}

// A result that is not finite is as wrong as can be.
static double double_error(const double *mine, const double *expected, size_t count)
{
    double most = 0;
    double error = 0;
    for (size_t k = 0; k < count; k++) {
        most = fmax(most, fabs(expected[k]));
        double difference = fabs(mine[k] - expected[k]);
        if (!isfinite(difference)) {
            return INFINITY;
        }
        error = fmax(error, difference);
    }
    return most > 0 ? error / most : error;
}

double data_error(const struct data *data)
{
    double error = 0;
    for (int i = 0; i < data->array_count; i++) {
        if (data->types[i] == RILL_F64) {
            error = fmax(error, double_error(data->arrays[i], data->expected[i], data->counts[i]));
        } else if (memcmp(data->arrays[i], data->expected[i], data->bytes[i]) != 0) {
            error = INFINITY;
        }
    }
    return error;
}
