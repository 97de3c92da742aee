// Bases and what lies at them: structs, unions, fields, locals, pointers, copies, aliases.
#include <rill/kernel.h>
#include <string.h>

struct particle {
    float x, y, z;
    int cell;
};

union word {
    float f;
    int i;
    char c[4];
};

struct box {
    float low[3];
    float high[3];
};

float field[1024];
float other_field[1024];
int counter;
const float table[4] = {1, 2, 3, 4};
float *cursor;

kernel void members(int n, struct particle p[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        p[i].x = p[i].y + p[i].z;
    }
}

kernel void members_of_neighbour(int n, struct particle p[n])
{
    for (int i = 1; i < n; i++) { // expect: proven
        p[i].x = p[i - 1].y;
    }
}

kernel void same_member_of_neighbour(int n, struct particle p[n])
{
    for (int i = 1; i < n; i++) { // expect: in order
        p[i].x = p[i - 1].x;
    }
}

kernel void whole_struct_of_neighbour(int n, struct particle p[n])
{
    for (int i = 1; i < n; i++) { // expect: in order
        p[i] = p[i - 1];
    }
}

kernel void member_against_whole_struct(int n, struct particle p[n], struct particle q[n])
{
    for (int i = 1; i < n; i++) { // expect: in order
        q[i] = p[i - 1];
        p[i].y = 1;
    }
}

kernel void whole_struct(int n, const struct particle p[n], struct particle q[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        q[i] = p[i];
        q[i].cell = i;
    }
}

kernel void arrays_in_structs(int n, struct box b[n])
{
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int k = 0; k < 3; k++) { // expect: proven
            b[i].low[k] = b[i].high[k];
        }
    }
}

kernel void union_members(int n, union word w[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        w[i].i = (int)w[i].f;
    }
}

kernel void union_of_neighbour(int n, union word w[n])
{
    for (int i = 1; i < n; i++) { // expect: in order
        w[i].i = w[i - 1].c[0];
    }
}

kernel void fields(int n)
{
    for (int i = 0; i < n; i++) { // expect: proven
        field[i] = other_field[i];
    }
}

kernel void field_and_argument(int n, const float x[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        field[i] = x[i];
    }
}

kernel void field_recurrence(int n)
{
    for (int i = 1; i < n; i++) { // expect: in order
        field[i] = field[i - 1];
    }
}

kernel void field_scalar_store(int n, const int x[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        counter = x[i];
    }
}

kernel void field_scalar_update(int n, const int x[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        counter += x[i];
    }
}

kernel void field_scalar_read(int n, float x[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        x[i] = counter;
    }
}

kernel void bound_from_field(float x[1024])
{
    for (int i = 0; i < counter; i++) { // expect: proven
        x[i] = i;
    }
}

kernel void bound_from_field_written(float x[1024])
{
    for (int i = 0; i < counter; i++) { // expect: in order
        counter = 7;
    }
}

kernel void constants(int n, float x[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        x[i] = table[i % 4];
    }
}

kernel void constant_table_as_index(int n, float x[n])
{
    for (int i = 0; i < 4; i++) { // expect: scatter
        x[(int)table[i]] = i;
    }
}

kernel void pointer_from_memory(int n, float x[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        cursor[i] = x[i];
    }
}

kernel void read_through_memory(int n, float x[n])
{
    for (int i = 0; i < n; i++) { // expect: in order
        x[i] = cursor[i];
    }
}

kernel void middle(int n, float x[2 * n])
{
    float *upper = x + n;
    for (int i = 0; i < n; i++) { // expect: proven
        upper[i] = x[i];
    }
}

kernel void middle_overlaps(int n, float x[n])
{
    float *next = x + 1;
    for (int i = 0; i < n - 1; i++) { // expect: in order
        next[i] = x[i];
    }
}

kernel void two_pointers(int n, int which, float *x, float *y)
{
    float *p = which ? x : y;
    for (int i = 1; i < n; i++) { // expect: in order
        p[i] = x[i - 1];
    }
}

kernel void two_pointers_same_index(int n, int which, float *x, float *y)
{
    float *p = which ? x : y;
    for (int i = 0; i < n; i++) { // expect: proven
        p[i] = x[i];
    }
}

kernel void restricted(int n, const float *restrict x, float *restrict y)
{
    for (int i = 1; i < n; i++) { // expect: proven
        y[i] = x[i - 1];
    }
}

kernel void local_array(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        float t[8];
        for (int k = 0; k < 8; k++) { // expect: proven
            t[k] = x[i] * k;
        }
        float s = 0;
        for (int k = 0; k < 8; k++) { // expect: proven
            s += t[k];
        }
        y[i] = s;
    }
}

kernel void local_array_outside(int n, const float x[n], float y[n])
{
    float t[8];
    for (int i = 0; i < n; i++) {     // expect: proven
        for (int k = 0; k < 8; k++) { // expect: proven
            t[k] = x[i] * k;
        }
        float s = 0;
        for (int k = 0; k < 8; k++) { // expect: proven
            s += t[k];
        }
        y[i] = s;
    }
}

kernel void local_array_half_written(int n, const float x[n], float y[n])
{
    float t[8] = {0};
    for (int i = 0; i < n; i++) {     // expect: in order
        for (int k = 0; k < 4; k++) { // expect: proven
            t[k] = x[i] * k;
        }
        float s = 0;
        for (int k = 0; k < 8; k++) { // expect: proven
            s += t[k];
        }
        y[i] = s;
        t[7] = s;
    }
}

kernel float local_array_read_after(int n, const float x[n], float y[n])
{
    float t[8];
    for (int i = 0; i < n; i++) {     // expect: in order
        for (int k = 0; k < 8; k++) { // expect: proven
            t[k] = x[i] * k;
        }
        y[i] = t[i % 8];
    }
    return t[3];
}

kernel void local_histogram(int n, const int x[n], int y[16])
{
    int h[16] = {0};
    for (int i = 0; i < n; i++) { // expect: proven
        h[x[i] & 15]++;
    }
    for (int k = 0; k < 16; k++) { // expect: proven
        y[k] = h[k];
    }
}

kernel void copy_rows(int n, int m, const float a[n][m], float b[n][m])
{
    for (int i = 0; i < n; i++) { // expect: proven
        memcpy(b[i], a[i], m * sizeof(float));
    }
}

kernel void copy_rows_down(int n, int m, float a[n][m])
{
    for (int i = 1; i < n; i++) { // expect: in order
        memcpy(a[i], a[i - 1], m * sizeof(float));
    }
}

kernel void clear_rows(int n, int m, float a[n][m])
{
    for (int i = 0; i < n; i++) { // expect: proven
        memset(a[i], 0, m * sizeof(float));
    }
}

kernel void copy_too_much(int n, int m, const float *a, float *b)
{
    for (int i = 0; i < n; i++) { // expect: in order
        memcpy(b + 4 * i, a + 4 * i, 20);
    }
}

static void out_parameter(float x, float *sum, float *difference)
{
    *sum = x + 1;
    *difference = x - 1;
}

kernel void helper_out_parameters(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        float s, d;
        out_parameter(x[i], &s, &d);
        y[i] = s * d;
    }
}

kernel void helper_out_parameters_outside(int n, const float x[n], float y[n])
{
    float s, d;
    for (int i = 0; i < n; i++) { // expect: proven
        out_parameter(x[i], &s, &d);
        y[i] = s * d;
    }
}

kernel void helper_writes_elements(int n, const float x[n], float y[n], float z[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        out_parameter(x[i], &y[i], &z[i]);
    }
}

kernel void helper_writes_neighbour(int n, const float x[n], float y[n])
{
    for (int i = 0; i < n - 1; i++) { // expect: in order
        out_parameter(x[i], &y[i], &y[i + 1]);
    }
}

struct acc {
    float a, b;
};

kernel void struct_outside(int n, const float x[n], float y[n])
{
    struct acc t;
    for (int i = 0; i < n; i++) { // expect: proven
        t.a = x[i];
        t.b = t.a * 2;
        y[i] = t.a + t.b;
    }
}

kernel void struct_carried(int n, const float x[n], float y[n])
{
    struct acc t = {0, 0};
    for (int i = 0; i < n; i++) { // expect: in order
        t.a = x[i] + t.b;
        t.b = t.a * 2;
        y[i] = t.a;
    }
}

kernel void by_value(struct acc c, int n, float y[n])
{
    for (int i = 0; i < n; i++) { // expect: proven
        y[i] = c.a * i + c.b;
    }
}

kernel void bytes_of_floats(int n, float x[n])
{
    char *bytes = (char *)x;
    for (int i = 0; i < n; i++) { // expect: proven
        bytes[4L * i + 3] = 0x3f;
    }
}

kernel void bytes_against_floats(int n, float x[n], float y[n])
{
    char *bytes = (char *)x;
    for (int i = 0; i < n; i++) { // expect: in order
        bytes[i] = 1;
        y[i] = x[i];
    }
}

kernel void two_dimensional_field_alias(int n, float x[n][4])
{
    float *flat = &x[0][0];
    for (int i = 0; i < n; i++) { // expect: in order
        x[i][1] = i;
        flat[i] = 2;
    }
}
