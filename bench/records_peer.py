#!/usr/bin/env python3
"""TensorFlow's side of bench/records: the seconds that it takes to count the records of a file.

    bench/records_peer.py FILE"""

import sys
import time

import tensorflow as tf

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
options = tf.data.Options()
options.threading.private_threadpool_size = 1
records = tf.data.TFRecordDataset(sys.argv[1]).with_options(options)


def count():
    return records.reduce(tf.constant(0), lambda n, _: n + 1).numpy()


count()
begin = time.perf_counter()
count()
print(time.perf_counter() - begin)
