import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { MIN_NODE_VERSION } from '../../version';
import { type Check, type Finding, fault, ok, warning } from '../finding';

const MIN_OPEN_FILES = 4_096;
const MIN_MEMORY_BYTES = 768 * 1024 ** 2;

/** Node version, file limit, memory. */
export const machine: Check = {
  name: 'machine',
  mend: `Run it on Linux or macOS with Node ${MIN_NODE_VERSION} or newer.`,
  async run() {
    return [nodeFinding(process.versions.node), ...filesFinding(openFiles()), memoryFinding(memory())];
  },
};

/** Pure. */
export function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minMajor = 0, minMinor = 0] = MIN_NODE_VERSION.split('.').map(Number);
  const old = major < minMajor || (major === minMajor && minor < minMinor);
  return old
    ? fault(`Node ${version} is too old`, `Install Node ${MIN_NODE_VERSION} or newer.`)
    : ok(`Node ${version}`);
}

/** Null: the limit is unknown. Pure. */
export function filesFinding(limit: number | null): Finding[] {
  if (limit === null) return [];
  return limit < MIN_OPEN_FILES
    ? [
        warning(
          `a process may have ${limit} files and connections open`,
          `Raise it to ${MIN_OPEN_FILES} or more: ulimit -n, or LimitNOFILE of the unit.`,
        ),
      ]
    : [
        ok(
          `a process may have ${limit === Number.POSITIVE_INFINITY ? 'any number of' : limit} files and connections open`,
        ),
      ];
}

/** Pure. */
export const memoryFinding = (bytes: number): Finding =>
  bytes < MIN_MEMORY_BYTES
    ? warning(
        `the machine has only ${mib(bytes)} MiB of memory`,
        `Give it ${mib(MIN_MEMORY_BYTES)} MiB or more, or lower EXECUTOR_CAPACITY.`,
      )
    : ok(`${mib(bytes)} MiB of memory`);

const mib = (bytes: number): number => Math.floor(bytes / 1024 ** 2);

/** The soft limit, which Node raises to the hard limit at its start (proc(5)). */
function openFiles(): number | null {
  const limit = /^Max open files\s+(\S+)/m.exec(textOf('/proc/self/limits'))?.[1];
  if (limit === undefined) return null;
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit);
}

/** The limit of the control group if it is below the machine's memory (cgroup v2). */
function memory(): number {
  const limit = Number(textOf('/sys/fs/cgroup/memory.max') || 'max');
  return Number.isFinite(limit) ? Math.min(limit, totalmem()) : totalmem();
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Only Linux has these files.
    return '';
  }
}
