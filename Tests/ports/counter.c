/* A plug-in of QEMU that counts the instructions a program executes, by symbol: lines "COUNT SYMBOL", in the
 * file of its argument `to=PATH`.
 *
 *   qemu-aarch64 -plugin counter.so,to=PATH PROGRAM...
 *
 * Debian ships QEMU with this interface and without its header: what is used of it is declared here, version
 * 1 (https://www.qemu.org/docs/master/devel/tcg-plugins.html). */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void block_callback(qemu_plugin_id_t, struct qemu_plugin_tb *);
typedef void exit_callback(qemu_plugin_id_t, void *);
enum { QEMU_PLUGIN_INLINE_ADD_U64 = 0 };

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, block_callback *);
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int kind, void *, uint64_t);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, exit_callback *, void *);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;

/* Symbols live as long as the program; counters must not move, for translated code adds to them. */
struct counter {
  struct counter *next;
  char *symbol;
  uint64_t count;
};
static struct counter *counters;
static const char *path;

static struct counter *counter_of(const char *symbol) {
  for (struct counter *c = counters; c; c = c->next)
    if (!strcmp(c->symbol, symbol)) return c;
  struct counter *made = calloc(1, sizeof *made);
  char *name = strdup(symbol);
  if (!made || !name) abort();
  made->symbol = name;
  made->next = counters;
  return counters = made;
}

/* A block ends with its first branch, so that it is in one function. */
static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
  (void)id;
  const char *symbol = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(block, 0));
  struct counter *counter = counter_of(symbol ? symbol : "?");
  qemu_plugin_register_vcpu_tb_exec_inline(
      block, QEMU_PLUGIN_INLINE_ADD_U64, &counter->count, qemu_plugin_tb_n_insns(block));
}

static void ended(qemu_plugin_id_t id, void *data) {
  (void)id, (void)data;
  FILE *file = fopen(path, "w");
  if (!file) return;
  for (struct counter *c = counters; c; c = c->next)
    if (c->count) fprintf(file, "%" PRIu64 " %s\n", c->count, c->symbol);
  fclose(file);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int count, char **arguments) {
  (void)info;
  if (count != 1 || strncmp(arguments[0], "to=", 3)) {
    fprintf(stderr, "counter.so: the argument must be to=PATH\n");
    return 1;
  }
  path = strdup(arguments[0] + 3);
  if (!path) return 1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, NULL);
  return 0;
}
