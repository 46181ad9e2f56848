/*
 * The operation stream of SPECIFICATION.md in C: a check of the TypeScript by another language. Writes
 * operations as u32 source, u32 target, i64 amount, little-endian (on a little-endian machine).
 *
 *   gcc -O2 -ffp-contract=off -o reference reference.c
 *   ./reference SEED SESSION ACCOUNTS ALPHA SCRAMBLE AMOUNT_MAX COUNT | sha256sum
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double LN2_HI = 0.6931471803691238, LN2_LO = 1.9082149292705877e-10;

static double from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, 8);
  return x;
}
static uint32_t high_word(double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  return (uint32_t)(bits >> 32);
}
static double pow2(int64_t k) { return from_bits((uint64_t)(k + 1023) << 52); }
static double floor_of(double x) { /* |x| < 2^62 */
  double t = (double)(int64_t)x;
  return t > x ? t - 1 : t;
}

/* 1. Seeding */
static const uint64_t GOLDEN = 0x9e3779b97f4a7c15u;
static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
static void seed_words(uint64_t seed, uint32_t session, uint64_t purpose, uint32_t *words, int count) {
  uint64_t state = mix(seed + GOLDEN);
  state = mix((state ^ session) + GOLDEN);
  state = mix((state ^ purpose) + GOLDEN);
  for (int i = 0; i < count; i += 2) {
    state += GOLDEN;
    uint64_t output = mix(state);
    words[i] = (uint32_t)output;
    words[i + 1] = (uint32_t)(output >> 32);
  }
}

/* 2. Generator */
static uint32_t s[4];
static uint32_t rotl(uint32_t x, int k) { return (x << k) | (x >> (32 - k)); }
static uint32_t next(void) {
  uint32_t result = rotl(s[0] + s[3], 7) + s[0], t = s[1] << 9;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotl(s[3], 11);
  return result;
}
static double uniform(void) {
  uint32_t a = next() >> 5, b = next() >> 6;
  return (a * 67108864.0 + b) * 0x1p-53;
}

/* 3. Series and tables */
static double series_log(double x) {
  int64_t k = (int64_t)((high_word(x) + 0x95f62u) >> 20) - 1023;
  double m = x / pow2(k), q = (m - 1) / (m + 1), z = q * q, sum = 1.0 / 21;
  for (int d = 19; d >= 3; d -= 2) sum = sum * z + 1.0 / d;
  double twice = q + q;
  return (double)k * LN2_HI + (twice + (twice * (z * sum) + (double)k * LN2_LO));
}
static double series_exp(double x) {
  double k = floor_of(x * 1.4426950408889634 + 0.5), r = x - k * LN2_HI - k * LN2_LO;
  double factorial = 6227020800.0, sum = 1 / factorial;
  for (int d = 12; d >= 2; d--) {
    factorial /= d + 1;
    sum = sum * r + 1 / factorial;
  }
  return (1 + (r + r * r * sum)) * pow2((int64_t)k);
}
static double center_inverse[128], center_log[128], step_power[128];
static void build_tables(void) {
  for (int i = 0; i < 128; i++) {
    double center = from_bits((uint64_t)(0x3fe6a09eu + (uint32_t)i * 8192 + 4096) << 32);
    center_inverse[i] = 1 / center;
    center_log[i] = series_log(center);
    step_power[i] = series_exp(i * 0.0054152123481245725);
  }
}
static double log_of(double x) {
  uint32_t shifted = high_word(x) + 0x95f62u;
  double k = (double)((int64_t)(shifted >> 20) - 1023);
  int index = (shifted >> 13) & 127;
  double r = x * pow2(-(int64_t)k) * center_inverse[index] - 1, r2 = r * r;
  double series = (r * (1.0 / 3) - 0.5) + r2 * ((r * 0.2 - 0.25) - r2 * (1.0 / 6));
  return (k * LN2_HI + center_log[index]) + (r + (r2 * series + k * LN2_LO));
}
static double exp_of(double x) {
  if (x < -708) return 0;
  double steps = floor_of(x * 184.6649652337873 + 0.5);
  double r = (x - steps * (LN2_HI / 128)) - steps * (LN2_LO / 128), r2 = r * r;
  double series = (0.5 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120));
  double root = step_power[(int64_t)steps & 127];
  return (root + root * (r + r2 * series)) * pow2((int64_t)steps >> 7);
}
static double log1p_over_x(double x) {
  if (x > -1e-3 && x < 1e-3)
    return 1 - x * (0.5 - x * (1.0 / 3 - x * (0.25 - x * (0.2 - x * (1.0 / 6)))));
  return log_of(1 + x) / x;
}
static double expm1_over_x(double x) {
  if (x > -1e-3 && x < 1e-3)
    return 1 + x * (0.5 + x * (1.0 / 6 + x * (1.0 / 24 + x * (1.0 / 120 + x * (1.0 / 720)))));
  return (exp_of(x) - 1) / x;
}

/* 4. Ranks */
struct sampler {
  double alpha, slope, slope_inverse, first, last, area_first, area_last, area_span, shift;
  int steep;
};
static double integral(const struct sampler *p, double rank) {
  double l = log_of(rank / p->first);
  return expm1_over_x(p->slope * l) * l;
}
static double density(const struct sampler *p, double rank) {
  return exp_of(-p->alpha * log_of(rank / p->first)) / p->first;
}
static double inverse(const struct sampler *p, double area) {
  double t = area * p->slope, l;
  if (p->steep) {
    double floor_t = -1 + 0x1p-53;
    l = log_of(1 + (t < floor_t ? floor_t : t)) * p->slope_inverse;
  } else {
    l = log1p_over_x(t) * area;
  }
  return p->first * exp_of(l);
}
static struct sampler sampler_of(double alpha, double first, double last) {
  struct sampler p = {.alpha = alpha, .slope = 1 - alpha, .first = first, .last = last};
  if (alpha == 0) return p;
  p.steep = p.slope >= 0x1p-10 || p.slope <= -0x1p-10;
  p.slope_inverse = p.steep ? 1 / p.slope : 0;
  p.area_first = integral(&p, first + 0.5);
  p.area_last = integral(&p, last + 0.5);
  p.area_span = (p.area_first - 1 / first) - p.area_last;
  p.shift = (first + 1) - inverse(&p, integral(&p, first + 1.5) - density(&p, first + 1));
  return p;
}
static double draw(const struct sampler *p) {
  if (p->alpha == 0) {
    double count = p->last - p->first + 1, offset = floor_of(uniform() * count);
    return p->first + (offset == count ? offset - 1 : offset);
  }
  for (;;) {
    double area = p->area_last + uniform() * p->area_span;
    if (area <= p->area_first) return p->first;
    double x = inverse(p, area), rank = floor_of(x + 0.5);
    if (rank > p->last) rank = p->last;
    if (rank - x <= p->shift) return rank;
    if (area >= integral(p, rank + 0.5) - density(p, rank)) return rank;
  }
}

/* 5. Ids */
static uint32_t permute(const uint32_t *w, uint64_t size, uint32_t x) {
  int bits = 0;
  while (((size - 1) >> bits) != 0) bits++;
  uint32_t mask = bits == 32 ? 0xffffffffu : (1u << bits) - 1;
  int shift = (bits + 1) / 2;
  do {
    x = (x + w[0]) & mask;
    for (int i = 1; i <= 3; i++) x = ((x ^ (x >> shift)) * (w[3 + i] | 1) + w[i]) & mask;
  } while (x >= size);
  return x;
}

/* 6. Operations */
int main(int argc, char **argv) {
  if (argc != 8) return 2;
  uint64_t seed = strtoull(argv[1], 0, 10), accounts = strtoull(argv[3], 0, 10);
  uint64_t amount_max = strtoull(argv[6], 0, 10), count = strtoull(argv[7], 0, 10);
  uint32_t session = (uint32_t)strtoul(argv[2], 0, 10), words[8];
  double alpha = strtod(argv[4], 0);
  int scramble = argv[5][0] == '1';
  build_tables();
  seed_words(seed, session, 1, s, 4);
  seed_words(seed, 0, 2, words, 8);
  struct sampler ranks = sampler_of(alpha, 1, (double)accounts);
  struct sampler from_second = sampler_of(alpha, 2, (double)accounts);
  for (uint64_t i = 0; i < count; i++) {
    double source = draw(&ranks), target;
    if (source == 1)
      target = draw(&from_second);
    else
      do target = draw(&ranks);
      while (target == source);
    int64_t amount = 1 + (int64_t)(((uint64_t)next() * amount_max) >> 32);
    uint32_t ids[2] = {(uint32_t)((uint64_t)source - 1), (uint32_t)((uint64_t)target - 1)};
    if (scramble)
      for (int j = 0; j < 2; j++) ids[j] = permute(words, accounts, ids[j]);
    fwrite(ids, 4, 2, stdout);
    fwrite(&amount, 8, 1, stdout);
  }
  return 0;
}
