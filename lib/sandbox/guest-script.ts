/**
 * The part of the sandbox that runs inside the engine before the script: it defines the script's globals and console,
 * and keeps references to the built-in functions before the script could change them. `print(level, text)` is the only
 * output, known to this closure only; levels are 0 (debug) to 3 (error).
 */
export const GUEST_SCRIPT = `(function (print, globals, longest) {
  'use strict';
  const { Error, JSON, Object, Reflect, String } = globalThis;
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { defineProperty, keys } = Object;
  const { slice } = String.prototype;

  const short = (text) => (text.length > longest ? apply(slice, text, [0, longest]) : text);

  const read = (object, key) => {
    try {
      const value = object[key];
      return typeof value === 'string' ? value : '';
    } catch {
      return '';
    }
  };

  const show = (value) => {
    try {
      if (typeof value === 'string') return value;
      if (value instanceof Error) return read(value, 'name') + ': ' + read(value, 'message');
      const text = stringify(value);
      return typeof text === 'string' ? text : String(value);
    } catch {
      try {
        return String(value);
      } catch {
        return 'a value that cannot be shown';
      }
    }
  };

  const write = (level) => (...values) => {
    let line = '';
    for (let i = 0; i < values.length && line.length <= longest; i++) line += (i === 0 ? '' : ' ') + show(values[i]);
    print(level, short(line));
  };

  const define = (name, value) =>
    defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });

  const values = parse(globals);
  const names = keys(values);
  for (let i = 0; i < names.length; i++) define(names[i], values[names[i]]);
  define('console', {
    debug: write(0),
    log: write(1),
    info: write(1),
    warn: write(2),
    error: write(3),
  });

  return {
    encode: (value) => (value === undefined ? 'null' : stringify(value)),
    describe: (thrown) => {
      const isObject = (typeof thrown === 'object' && thrown !== null) || typeof thrown === 'function';
      const name = isObject ? read(thrown, 'name') : '';
      const message = isObject && name !== '' ? read(thrown, 'message') : show(thrown);
      return stringify([short(name), short(message), isObject ? read(thrown, 'stack') : '']);
    },
  };
})`;
