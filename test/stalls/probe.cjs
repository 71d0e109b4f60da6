// Loaded into the server process by --require. Measures for how long its main thread does not return to the event loop,
// and answers questions about it over the IPC channel that the parent process has opened.
'use strict';
const { openSync, readSync } = require('node:fs');
const { PerformanceObserver, constants, performance } = require('node:perf_hooks');
const { Session } = require('node:inspector');
const { isMainThread } = require('node:worker_threads');

const BEAT_MS = 5;
/** Shorter stretches are not kept. */
const MIN_STRETCH_MS = 15;
const SAMPLE_MICROSECONDS = 500;

/** CPU time of the main thread in milliseconds (Linux); null elsewhere. Wall time alone would count what others take. */
function openCpuClock() {
  try {
    const file = openSync('/proc/self/schedstat', 'r');
    const buffer = Buffer.alloc(64);
    return () => Number.parseInt(buffer.toString('latin1', 0, readSync(file, buffer, 0, 64, 0)), 10) / 1e6;
  } catch {
    return null;
  }
}

function install() {
  const cpuNow = openCpuClock();
  let stretches = [];
  let collections = [];
  let last = performance.now();
  let lastCpu = cpuNow?.() ?? 0;

  const beat = () => {
    const now = performance.now();
    const cpu = cpuNow?.() ?? 0;
    const wallMs = now - last - BEAT_MS;
    const cpuMs = cpuNow === null ? wallMs : cpu - lastCpu;
    if (Math.min(wallMs, cpuMs) >= MIN_STRETCH_MS) stretches.push({ from: last, to: now, wallMs, cpuMs });
    last = now;
    lastCpu = cpu;
  };
  setInterval(beat, BEAT_MS).unref();

  // What a full collection takes depends on all that lives in the process, not on the work that happened to cause it.
  const isFull = ({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if (isFull(entry)) collections.push({ from: entry.startTime, to: entry.startTime + entry.duration });
  }).observe({ entryTypes: ['gc'] });

  const collectedMs = ({ from, to }) =>
    collections.reduce((sum, one) => sum + Math.max(0, Math.min(to, one.to) - Math.max(from, one.from)), 0);
  const held = (stretch) => Math.max(0, Math.min(stretch.wallMs, stretch.cpuMs) - collectedMs(stretch));
  const longest = () => {
    const all = stretches.map((stretch) => ({ ...stretch, heldMs: held(stretch) }));
    return all.sort((a, b) => b.heldMs - a.heldMs)[0] ?? null;
  };

  let session = null;
  const post = (method, params) =>
    new Promise((resolve, reject) => {
      session.post(method, params, (fault, result) => (fault === null ? resolve(result) : reject(fault)));
    });

  const commands = {
    async reset() {
      stretches = [];
      collections = [];
    },
    async read() {
      return { longest: longest() };
    },
    /** Turns the given number of rounds, and answers the CPU time that they took. */
    async spin({ rounds }) {
      const began = performance.now();
      const beganCpu = cpuNow?.() ?? began;
      let value = 1;
      for (let round = 0; round < rounds; round++) value = (value * 48_271) % 2_147_483_647;
      const tookMs = cpuNow === null ? performance.now() - began : cpuNow() - beganCpu;
      return { tookMs, value };
    },
    async startProfile() {
      session = new Session();
      session.connect();
      await post('Profiler.enable');
      await post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS });
      await post('Profiler.start');
    },
    async stopProfile() {
      const { profile } = await post('Profiler.stop');
      session.disconnect();
      session = null;
      return { frames: framesOf(profile, longest()) };
    },
  };

  process.on('message', ({ id, command, ...params }) => {
    // Two beats later whatever the message had to wait for is counted.
    setTimeout(() => {
      commands[command](params).then(
        (answer) => process.send({ id, answer: answer ?? {} }),
        (fault) => process.send({ id, fault: String(fault) }),
      );
    }, 2 * BEAT_MS);
  });
  process.channel.unref();
}

/** The functions that many samples of a stretch were in, from the outermost on: only those that a tenth of them passed. */
function framesOf({ nodes, samples, timeDeltas, startTime }, stretch) {
  if (stretch === null) return [];
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  // Both clocks are the monotonic one of the system; only their beginnings differ.
  const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  const counts = new Map();
  let total = 0;
  let at = startTime;
  samples.forEach((sample, index) => {
    at += timeDeltas[index];
    const ms = at / 1_000 - offsetMs;
    if (ms < stretch.from || ms > stretch.to) return;
    total += 1;
    const seen = new Set();
    for (let id = sample; id !== undefined; id = parents.get(id)) {
      const { functionName, url, lineNumber } = byId.get(id).callFrame;
      const place = url.replace(/^.*\/(dist|node_modules)\//, '');
      seen.add(`${functionName || '(anonymous)'} ${place}:${lineNumber + 1}`);
    }
    for (const frame of [...seen].reverse()) counts.set(frame, (counts.get(frame) ?? 0) + 1);
  });
  return [...counts]
    .filter(([frame, count]) => count * 10 >= total && !/^\((root|idle)\)/.test(frame))
    .map(([frame, count]) => `${Math.round((100 * count) / total)}% ${frame}`);
}

if (isMainThread && process.channel) install();
