/* A QEMU plug-in that counts the instructions that a program executes in each of its functions (symbols).
 * When the program ends, the plug-in writes lines "COUNT SYMBOL" to the file named in its argument `to=PATH`.
 *
 *   qemu-aarch64 -plugin counter.so,to=PATH PROGRAM...
 *
 * Debian's QEMU supports plug-ins, but Debian does not ship the header for them. This file therefore declares
 * the functions that it uses, from version 1 of the interface
 * (https://www.qemu.org/docs/master/devel/tcg-plugins.html). */

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

/* The counter of one symbol. Counters stay at their address until the program ends, because the code that
 * QEMU generates adds to them directly. */
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

/* QEMU calls this function for each block of instructions that it translates. A block ends at its first
 * branch, so all its instructions belong to the same symbol as the first. */
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
