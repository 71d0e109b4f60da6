import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { type Check, type Finding, fault, ok, warning } from '../finding';

/** `engines` of package.json. */
const OLDEST_NODE = [20, 19] as const;
const FEW_FILES = 4_096;
const LITTLE_MEMORY = 768 * 1024 ** 2;

/** Node, open files, memory. */
export const machine: Check = {
  name: 'machine',
  mend: 'Run it on Linux or macOS with Node 20.19 or newer.',
  async run() {
    return [nodeFinding(process.versions.node), ...filesFinding(openFiles()), memoryFinding(memory())];
  },
};

/** Pure. */
export function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const old = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  return old
    ? fault(`Node ${version} is too old`, `Install Node ${OLDEST_NODE.join('.')} or newer.`)
    : ok(`Node ${version}`);
}

/** Pure; null: the system does not tell. */
export function filesFinding(limit: number | null): Finding[] {
  if (limit === null) return [];
  return limit < FEW_FILES
    ? [
        warning(
          `a process may have ${limit} files and connections open`,
          `Raise it to ${FEW_FILES} or more: ulimit -n, or LimitNOFILE of the unit.`,
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
  bytes < LITTLE_MEMORY
    ? warning(
        `there are ${mib(bytes)} MiB of memory for everything`,
        `Give it ${mib(LITTLE_MEMORY)} MiB or more, or lower EXECUTOR_CAPACITY.`,
      )
    : ok(`${mib(bytes)} MiB of memory`);

const mib = (bytes: number): number => Math.floor(bytes / 1024 ** 2);

/** The soft limit, which Node raises to the hard one as it starts (proc(5)). */
function openFiles(): number | null {
  const limit = /^Max open files\s+(\S+)/m.exec(textOf('/proc/self/limits'))?.[1];
  if (limit === undefined) return null;
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit);
}

/** Of the control group where it has less than the machine (cgroup v2). */
function memory(): number {
  const limit = Number(textOf('/sys/fs/cgroup/memory.max') || 'max');
  return Number.isFinite(limit) ? Math.min(limit, totalmem()) : totalmem();
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Only Linux has these files; elsewhere the system does not tell.
    return '';
  }
}
