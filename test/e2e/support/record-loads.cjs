// Preloaded into a server: writes each file that it requires, and each that it reads as text, to LOADS_FILE at once.
const fs = require('node:fs');
const Module = require('node:module');

const { appendFileSync, readFileSync } = fs;
const record = (path) => appendFileSync(process.env.LOADS_FILE, `${path}\n`);

const { load } = Module.prototype;
Module.prototype.load = function loadRecorded(path) {
  record(path);
  return load.call(this, path);
};
fs.readFileSync = (path, ...options) => {
  if (typeof path === 'string' && path !== process.env.LOADS_FILE) record(path);
  return readFileSync(path, ...options);
};
