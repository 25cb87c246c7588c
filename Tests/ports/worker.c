/* A program that is nothing but a worker: it serves the kernels of the library on the machine it runs on. */

void blur_worker_serve(void);

int main(void) {
  blur_worker_serve();
  return 0;
}
