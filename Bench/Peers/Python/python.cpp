// A plug-in that embeds CPython and turns Python files into kernels. The setup script builds it. To build it
// by hand:
//
//     c++ -O2 -shared -fPIC -ISources/CBlur/include Bench/Peers/Python/python.cpp -o python.so
//         $(pkg-config --cflags --libs python3-embed) -ldl
//
// The environment variable BLUR_PYTHON_FILES lists the Python files, separated by colons. A file that defines
// the following function is a kernel, which is named after the file:
//
//     def blur(source, destination, request): ...
//
// `source` (read only) and `destination` are memoryviews of the caller's own memory. Their shape is (height,
// width) for gray, (height, width, 3) for rgb and (height, width, 4) for rgba. Their item format is "B", "H"
// or "f", and their strides are the real ones, so numpy.asarray(view) copies nothing. `request` has the
// attributes format ("rgba8"), channels, edge ("clamp"), width, height, sigma_x, sigma_y, constant (four
// numbers) and threads.
//
// A kernel that does part of its work only once per case defines this function instead of `blur`:
//
//     def plan(request): ...            # returns a callable(source, destination)
//
// `plan` raises NotImplementedError if the kernel does not support the request. Any other exception becomes
// the error of the case, in the form "Type: message (file.py, line 7)".
//
// A module may define these constants: NAME, SUMMARY, FORMATS and EDGES (lists of names; all by default),
// THREADS (the largest number of threads it can use: 1 by default, 0 for any number) and PROMISE (None,
// ("exact", levels, share), ("approximation", levels) or ("not-gaussian",) for another filter). A file with
// several kernels defines a list KERNELS of objects with these attributes. sample.py explains how to choose a
// promise.
//
// Packages are imported from the virtual environment VIRTUAL_ENV if that is set, and otherwise from the one
// that the setup script made.

#include <Python.h>
#include <dlfcn.h>
#include <fenv.h>

#include <cstring>
#include <string>
#include <vector>

#include "blur_plugin.h"

#ifndef BLUR_VIRTUAL_ENV
#define BLUR_VIRTUAL_ENV ""
#endif

namespace {

// The part of this plug-in that is simpler in Python: it loads the files, reads their constants, and turns a
// file that defines `blur` into one that defines `plan`.
const char *const loader = R"python(
import functools, importlib.util, pathlib, types

FORMATS = ("gray8", "rgba8", "gray16", "rgba16", "grayf32", "rgbaf32", "rgb8", "rgb16", "rgbf32")
EDGES = ("clamp", "mirror", "reflect", "wrap", "constant")
PROMISES = (None, "exact", "approximation", "not-gaussian")

def load(files):
    return [kernel for file in files.split(":") if file for kernel in kernels(file)]

# If a file cannot be loaded, it still becomes a kernel. Each of its cases then shows the reason.
def kernels(file):
    name = pathlib.Path(file).stem.lower().replace("_", "-")
    try:
        spec = importlib.util.spec_from_file_location(pathlib.Path(file).stem, file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return [describe(kernel, name) for kernel in getattr(module, "KERNELS", [module])]
    except Exception as error:
        reason = f"{file}: {type(error).__name__}: {error}"
        def refuse(request): raise RuntimeError(reason)
        return [describe(types.SimpleNamespace(SUMMARY=reason, THREADS=0, plan=refuse), name)]

def describe(kernel, name):
    promise, levels, share, *_ = (*(getattr(kernel, "PROMISE", None) or [None]), 0, 0)
    if not hasattr(kernel, "plan"):
        blur = kernel.blur
        kernel.plan = lambda request: lambda source, destination: blur(source, destination, request)
    summary = getattr(kernel, "SUMMARY", None) or (kernel.__doc__ or "").split("\n")[0]
    return (
        str(getattr(kernel, "NAME", name)), summary,
        PROMISES.index(promise), float(levels), float(share),
        mask(getattr(kernel, "FORMATS", FORMATS), FORMATS), mask(getattr(kernel, "EDGES", EDGES), EDGES),
        int(getattr(kernel, "THREADS", 1)), kernel.plan)

def mask(names, known):
    return sum(1 << known.index(name) for name in ({names} if isinstance(names, str) else set(names)))

def make(plan, format, channels, edge, width, height, sigma_x, sigma_y, constant, threads):
    return plan(types.SimpleNamespace(
        format=FORMATS[format], channels=channels, edge=EDGES[edge], width=width, height=height,
        sigma_x=sigma_x, sigma_y=sigma_y, constant=constant, threads=threads))
)python";

// Holds the lock of the Python interpreter as long as this object lives. At the end, it restores the
// exception flags and modes of the CPU's floating-point arithmetic, because numpy clears the flags.
struct Lock {
  PyGILState_STATE state = PyGILState_Ensure();
  fenv_t environment;
  Lock() { fegetenv(&environment); }
  ~Lock() {
    PyGILState_Release(state);
    fesetenv(&environment);
  }
};

// A memoryview of the caller's memory. A new one is made only if the address or the stride has changed since
// the last call.
struct View {
  PyObject *object = nullptr;
  const void *address = nullptr;
  int64_t stride = 0;

  PyObject *at(const void *memory, int64_t row, const blur_request &request, bool readonly) {
    if (object && memory == address && row == stride) return object;
    Py_CLEAR(object);
    static char *const items[] = {const_cast<char *>("B"), const_cast<char *>("H"), const_cast<char *>("f")};
    const Py_ssize_t size = blur_component_bytes(request.format), channels = blur_channels(request.format);
    Py_ssize_t shape[] = {request.height, request.width, channels};
    Py_ssize_t strides[] = {row, channels * size, size};
    Py_buffer buffer = {};
    buffer.buf = const_cast<void *>(memory);
    buffer.len = request.height * request.width * channels * size;
    buffer.itemsize = size;
    buffer.readonly = readonly;
    buffer.ndim = channels > 1 ? 3 : 2;
    buffer.format = items[size / 2];
    buffer.shape = shape;  // the call below copies the shape and the strides
    buffer.strides = strides;
    object = PyMemoryView_FromBuffer(&buffer);
    address = memory;
    stride = row;
    return object;
  }
};

struct Plan {
  blur_request request;
  PyObject *callable;
  View source, destination;
};

PyObject *make;  // the function `make` of the loader

// Returns the place where an exception was raised, as " (file.py, line 7)", or an empty string if it is
// unknown.
std::string place(PyObject *trace) {
  std::string text;
  Py_XINCREF(trace);
  while (trace && trace != Py_None) {
    PyObject *const line = PyObject_GetAttrString(trace, "tb_lineno");
    PyObject *const frame = PyObject_GetAttrString(trace, "tb_frame");
    PyObject *const code = frame ? PyObject_GetAttrString(frame, "f_code") : nullptr;
    PyObject *const file = code ? PyObject_GetAttrString(code, "co_filename") : nullptr;
    const char *const path = file ? PyUnicode_AsUTF8(file) : nullptr;
    // The Python code of the loader is part of this plug-in and not a file. Its stack frames would not help
    // the user, so they are skipped.
    if (line && path && path[0] != '<') {
      const char *const slash = strrchr(path, '/');
      const std::string number = std::to_string(PyLong_AsLong(line));
      text = std::string(" (") + (slash ? slash + 1 : path) + ", line " + number + ")";
    }
    Py_XDECREF(line), Py_XDECREF(frame), Py_XDECREF(code), Py_XDECREF(file);
    PyObject *const next = PyObject_GetAttrString(trace, "tb_next");
    Py_DECREF(trace);
    trace = next;
  }
  Py_XDECREF(trace);
  return text;
}

// Turns the current exception into a message of the form "Type: message (file.py, line 7)" and returns the
// status. A NotImplementedError with a message is reported by that message alone.
int32_t failure(blur_message message) {
  const int32_t status = PyErr_ExceptionMatches(PyExc_NotImplementedError) ? BLUR_UNSUPPORTED : BLUR_FAILED;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject *said = value ? PyObject_Str(value) : nullptr;
  const char *text = said ? PyUnicode_AsUTF8(said) : nullptr;
  const bool bare = status == BLUR_UNSUPPORTED && text && *text;
  const char *kind = bare ? "" : type ? reinterpret_cast<PyTypeObject *>(type)->tp_name : "unknown exception";
  const std::string where = bare ? "" : place(trace);
  PyOS_snprintf(
      message.text, message.capacity, "%s%s%s%s", kind, bare ? "" : ": ", text ? text : "", where.c_str());
  Py_XDECREF(said), Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(trace);
  PyErr_Clear();
  return status;
}

int32_t make_plan(const void *context, const blur_request *request, void **made, blur_message message) {
  Lock lock;
  const double *constant = request->constant;
  PyObject *callable = PyObject_CallFunction(
      make, "OiiiLLdd(dddd)i", static_cast<PyObject *>(const_cast<void *>(context)), request->format,
      blur_channels(request->format), request->edge, static_cast<long long>(request->width),
      static_cast<long long>(request->height), request->sigma_x,
      request->sigma_y, constant[0], constant[1], constant[2], constant[3], request->threads);
  if (!callable) return failure(message);
  *made = new Plan{*request, callable, {}, {}};
  return BLUR_OK;
}

int32_t blur(void *opaque, const void *source, int64_t source_stride, void *destination,
             int64_t destination_stride, blur_message message) {
  Lock lock;
  Plan &plan = *static_cast<Plan *>(opaque);
  PyObject *views[] = {plan.source.at(source, source_stride, plan.request, true),
                       plan.destination.at(destination, destination_stride, plan.request, false)};
  PyObject *result = views[0] && views[1] ? PyObject_Vectorcall(plan.callable, views, 2, nullptr) : nullptr;
  if (!result) {
    failure(message);
    return BLUR_FAILED;
  }
  Py_DECREF(result);
  return BLUR_OK;
}

void destroy(void *opaque) {
  Lock lock;
  Plan *plan = static_cast<Plan *>(opaque);
  Py_XDECREF(plan->callable), Py_XDECREF(plan->source.object), Py_XDECREF(plan->destination.object);
  delete plan;
}

bool start() {
  // The native libraries of Python packages expect to find the symbols of the interpreter globally, even if
  // this plug-in was loaded with local symbols.
  Dl_info python;
  if (dladdr(reinterpret_cast<void *>(&Py_IsInitialized), &python))
    dlopen(python.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;
  const char *active = getenv("VIRTUAL_ENV");
  const std::string environment = active && *active ? active : BLUR_VIRTUAL_ENV;
  PyStatus status = PyStatus_Ok();
  if (!environment.empty())
    status = PyConfig_SetBytesString(&config, &config.executable, (environment + "/bin/python").c_str());
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status)) fprintf(stderr, "Python can't start: %s\n", status.err_msg);
  return !PyStatus_Exception(status);
}

// Runs the loader and converts the kernels that it found. The list of kernels is never freed, so its strings
// stay valid.
std::vector<blur_kernel> load(const char *files) {
  std::vector<blur_kernel> kernels;
  PyObject *globals = PyDict_New();
  PyDict_SetItemString(globals, "__builtins__", PyEval_GetBuiltins());
  PyObject *list = nullptr;
  if (PyObject *done = PyRun_String(loader, Py_file_input, globals, globals)) {
    Py_DECREF(done);
    make = PyDict_GetItemString(globals, "make");
    list = PyObject_CallFunction(PyDict_GetItemString(globals, "load"), "s", files);
  }
  for (Py_ssize_t i = 0; list && i < PyList_GET_SIZE(list); i++) {
    blur_kernel kernel = {};
    PyObject *planner;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "ssiddIIiO", &kernel.name, &kernel.summary,
                          &kernel.promise, &kernel.promise_levels, &kernel.promise_share, &kernel.formats,
                          &kernel.edges, &kernel.most_threads, &planner))
      break;
    kernel.context = planner;
    kernel.plan = make_plan;
    kernel.blur = blur;
    kernel.destroy = destroy;
    kernels.push_back(kernel);
  }
  if (PyErr_Occurred()) PyErr_Print();
  return kernels;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const blur_plugin_table *blur_plugin(void) {
  static std::vector<blur_kernel> kernels;
  static blur_plugin_table table = {BLUR_PLUGIN_VERSION, 0, nullptr};
  if (!table.kernels) {
    const char *files = getenv("BLUR_PYTHON_FILES");
    if (!files || Py_IsInitialized() || !start()) return nullptr;
    kernels = load(files);
    PyEval_SaveThread();  // every call from here on takes the lock itself
    table.count = static_cast<uint32_t>(kernels.size());
    table.kernels = kernels.data();
  }
  return &table;
}
