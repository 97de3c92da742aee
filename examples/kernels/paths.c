// A path tracer: spheres on a floor under a sky, with matte, mirror and glass surfaces. Each pixel has random numbers
// of its own, so the picture is the same on every device and at every number of threads.
#include <rill/kernel.h>
#include <rill/vec.h>

// struct sphere: ffffffffi

typedef enum surface { MATTE, MIRROR, GLASS } surface;

typedef struct sphere {
    vec3 center;
    float radius;
    vec3 color;
    float light; // what it gives off
    int surface;
} sphere;

typedef struct hit {
    float distance;
    vec3 point, normal;
    int at;
} hit;

static uint32_t next_random(uint32_t *state)
{
    uint32_t word = *state;
    *state = word * 747796405u + 2891336453u;
    word = ((word >> ((word >> 28) + 4)) ^ word) * 277803737u;
    return (word >> 22) ^ word;
}

static float uniform(uint32_t *state)
{
    return (float)(next_random(state) >> 8) * (1.0f / 16777216);
}

static vec3 on_sphere(uint32_t *state)
{
    for (;;) {
        float a = 2 * uniform(state) - 1, b = 2 * uniform(state) - 1, s = a * a + b * b;
        if (s < 1) {
            float t = 2 * sqrtf(1 - s);
            return vec3_of(a * t, b * t, 1 - 2 * s);
        }
    }
}

static bool find_hit(int n, const sphere *spheres, vec3 from, vec3 to, hit *out)
{
    out->distance = 1e30f;
    for (int i = 0; i < n; i++) {
        vec3 way = vec3_sub(spheres[i].center, from);
        float along = vec3_dot(way, to);
        float rest = along * along - vec3_dot(way, way) + spheres[i].radius * spheres[i].radius;
        if (rest < 0) {
            continue;
        }
        float root = sqrtf(rest), distance = along - root > 1e-3f ? along - root : along + root;
        if (distance > 1e-3f && distance < out->distance) {
            out->distance = distance;
            out->at = i;
        }
    }
    if (out->distance == 1e30f) {
        return false;
    }
    out->point = vec3_step(from, out->distance, to);
    out->normal = vec3_scale(vec3_sub(out->point, spheres[out->at].center), 1 / spheres[out->at].radius);
    return true;
}

static vec3 scatter(const sphere *s, vec3 to, const hit *h, uint32_t *state)
{
    if (s->surface == MIRROR) {
        return vec3_reflect(to, h->normal);
    }
    if (s->surface == MATTE) {
        return vec3_normalize(vec3_add(h->normal, on_sphere(state)));
    }
    float slant = vec3_dot(to, h->normal);
    bool is_inside = slant > 0;
    vec3 normal = is_inside ? vec3_neg(h->normal) : h->normal;
    float ratio = is_inside ? 1.5f : 1 / 1.5f, cosine = fabsf(slant), edge = 1 - cosine;
    bool is_total = ratio * ratio * (1 - cosine * cosine) > 1;
    float shine = 0.04f + 0.96f * edge * edge * edge * edge * edge;
    return is_total || uniform(state) < shine ? vec3_reflect(to, normal)
                                              : vec3_normalize(vec3_refract(to, normal, ratio));
}

static vec3 trace(int n, const sphere *spheres, vec3 from, vec3 to, uint32_t *state)
{
    vec3 light = vec3_of(0, 0, 0), share = vec3_of(1, 1, 1);
    for (int bounce = 0; bounce < 8; bounce++) {
        hit h;
        if (!find_hit(n, spheres, from, to, &h)) {
            vec3 sky = vec3_lerp(vec3_of(1, 1, 1), vec3_of(0.45f, 0.65f, 1), 0.5f * (to.y + 1));
            return vec3_add(light, vec3_mul(share, sky));
        }
        const sphere *s = &spheres[h.at];
        light = vec3_add(light, vec3_scale(share, s->light));
        share = vec3_mul(share, s->color);
        to = scatter(s, to, &h, state);
        from = h.point;
    }
    return light;
}

static uint8_t shade(float value)
{
    return (uint8_t)(255.0f * sqrtf(fminf(1, fmaxf(0, value))) + 0.5f);
}

// run: render n=4 width=24 height=16 samples=3 ~ 0.02
kernel void render(int n, int width, int height, int samples, const sphere spheres[n],
                   uint8_t picture[height][width][3])
{
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            uint32_t state = (uint32_t)(y * width + x) * 9781u + 1;
            vec3 sum = vec3_of(0, 0, 0);
            for (int s = 0; s < samples; s++) {
                float u = (x + uniform(&state) - 0.5f * width) / height,
                      v = (0.5f * height - y - uniform(&state)) / height;
                vec3 to = vec3_normalize(vec3_of(u, v - 0.08f, -1));
                sum = vec3_add(sum, trace(n, spheres, vec3_of(0, 1, 4), to, &state));
            }
            picture[y][x][0] = shade(sum.x / samples);
            picture[y][x][1] = shade(sum.y / samples);
            picture[y][x][2] = shade(sum.z / samples);
        }
    }
}
