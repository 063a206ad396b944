'use strict';

import { readFile } from 'node:fs/promises';

export const LIMIT = 100;
let cache = new Map(), hits = 0;

/**
 * Reads a file once.
 */
export async function load(path) {
  if (cache.has(path)) return cache.get(path);
  const text = await readFile(path, 'utf8');
  function inner() {
    return text;
  }
  return inner();
}

// An arrow is a function, too.
const double = (x) => x * 2;
const triple = function (x) {
  return x * 3;
};

export class Store extends Base {
  static #count = 0;
  name = 'store';
  handler = () => this.name;

  constructor(name) {
    super();
    this.name = name;
  }

  get size() {
    return cache.size;
  }

  set size(value) {
    cache.size = value;
  }

  async *entries() {
    yield* cache;
  }

  #secret() {
    return Store.#count++;
  }

  static of(...names) {
    return names.map((name) => new Store(name));
  }
}

export default function () {
  return new Store('default');
}

function* numbers() {
  yield 1;
}

module.exports = {
  load,
  run() {
    return 1;
  },
};

exports.stop = function stop() {
  return 0;
};

Store.prototype.clear = function () {
  cache.clear();
};
