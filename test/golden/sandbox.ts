import { readFile } from 'node:fs/promises';
import { Engine } from '../../lib/sandbox/engine';
import type { Sandbox } from '../../lib/sandbox';
import type { Json } from '../../lib/json';

let compiled: Promise<WebAssembly.Module> | null = null;

const load = async (): Promise<WebAssembly.Module> =>
  WebAssembly.compile(await readFile(require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')));

/** The real engine of scripts, on the thread of the tests: time stands still there, and a thread would not. */
export async function mainThreadSandbox(): Promise<Sandbox> {
  compiled ??= load();
  const module = await compiled;
  let id = 0;
  return {
    async run({ source, globals, timeoutMs }) {
      const engine = await Engine.create(module);
      const end = performance.now() + timeoutMs;
      const job = { id: ++id, lane: 'test', source, globals: JSON.stringify(globals), timeoutMs };
      const ran = engine.run(job, () => performance.now() > end);
      return ran.kind === 'value' ? { kind: 'value', value: JSON.parse(ran.text) as Json, lines: ran.lines } : ran;
    },
  };
}
