#if defined(BLUR_PTHREADS)

#include "BlurSignal.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct blur_signal {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool is_sent, is_over;
  bool (*work)(void *context);
  void (*release)(void *context);
  void *context;
};

static void discard(blur_signal *signal) {
  signal->release(signal->context);
  pthread_cond_destroy(&signal->changed);
  pthread_mutex_destroy(&signal->mutex);
  free(signal);
}

static void *serve(void *argument) {
  blur_signal *signal = argument;
  pthread_mutex_lock(&signal->mutex);
  for (;;) {
    while (!signal->is_sent && !signal->is_over) pthread_cond_wait(&signal->changed, &signal->mutex);
    if (signal->is_over) break;
    signal->is_sent = false;
    pthread_mutex_unlock(&signal->mutex);
    while (signal->work(signal->context)) sched_yield();
    pthread_mutex_lock(&signal->mutex);
  }
  pthread_mutex_unlock(&signal->mutex);
  discard(signal);
  return NULL;
}

blur_signal *blur_signal_start(bool (*work)(void *), void (*release)(void *), void *context) {
  blur_signal *signal = calloc(1, sizeof *signal);
  if (!signal) {
    release(context);
    return NULL;
  }
  pthread_mutex_init(&signal->mutex, NULL);
  pthread_cond_init(&signal->changed, NULL);
  signal->work = work;
  signal->release = release;
  signal->context = context;
  pthread_t thread;
  if (pthread_create(&thread, NULL, serve, signal) != 0) {
    discard(signal);
    return NULL;
  }
  pthread_detach(thread);
  return signal;
}

static void change(blur_signal *signal, bool *flag) {
  pthread_mutex_lock(&signal->mutex);
  *flag = true;
  pthread_cond_signal(&signal->changed);
  pthread_mutex_unlock(&signal->mutex);
}

void blur_signal_send(blur_signal *signal) {
  if (signal) change(signal, &signal->is_sent);
}

void blur_signal_end(blur_signal *signal) {
  if (signal) change(signal, &signal->is_over);
}

#endif
