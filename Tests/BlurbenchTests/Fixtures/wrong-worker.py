#!/usr/bin/env python3
"""Passes messages between the harness and a worker, and corrupts the worker's answers.

    wrong-worker.py HOW PROGRAM...
HOW: pixel    changes the first pixel of a result
     exits    ends with exit code 7 when it is asked to blur
     short    leaves out the last byte of a result
     silent   never answers a request to blur
"""
import struct, subprocess, sys, time

how, program = sys.argv[1], sys.argv[2:]
BLUR = 2
worker = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def message(stream):
    head = stream.read(8)
    return stream.read(struct.unpack("<Q", head)[0]) if len(head) == 8 else None


def send(stream, body):
    stream.write(struct.pack("<Q", len(body)) + body)
    stream.flush()


while (request := message(sys.stdin.buffer)) is not None:
    isBlur = struct.unpack("<Q", request[:8])[0] == BLUR
    if isBlur and how == "exits":
        sys.exit(7)
    if isBlur and how == "silent":
        time.sleep(1000)
    send(worker.stdin, request)
    answer = bytearray(message(worker.stdout))
    if isBlur and how == "pixel":
        answer[24] ^= 0x55  # the byte after the status, the time and the number of bytes
    if isBlur and how == "short":
        answer = answer[:-1]
    send(sys.stdout.buffer, answer)
worker.stdin.close()
