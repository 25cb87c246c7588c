/* The worker program for another machine or an emulator: it runs the library's kernels there, for a blurbench
 * process that sends requests and reads results. */

void blur_worker_serve(void);

int main(void) {
  blur_worker_serve();
  return 0;
}
