import { readFileSync } from 'node:fs';

/**
 * Bytes of mapped files that are in this process's memory (RssFile of proc(5)); undefined where the system does not tell.
 */
export function residentFileBytes(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const kilobytes = /^RssFile:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
