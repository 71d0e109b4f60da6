import type { Requirement, SpecFile, SpecTest } from './format';

/** The server for which tests are selected: a standalone of the version that the embedded server reports. */
const SERVER = { version: '8.0.0', topology: 'single', auth: false };

const parts = (version: string): number[] => version.split('.').map(Number);

function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const holds = ({ minServerVersion, maxServerVersion, topologies, auth }: Requirement): boolean =>
  (minServerVersion === undefined || compareVersions(SERVER.version, minServerVersion) >= 0) &&
  (maxServerVersion === undefined || compareVersions(SERVER.version, maxServerVersion) <= 0) &&
  (topologies === undefined || topologies.includes(SERVER.topology)) &&
  (auth === undefined || auth === SERVER.auth);

/** True when the file and the test are written for a server such as ours: each list needs one entry that holds. */
export const applies = (file: SpecFile, test: SpecTest): boolean =>
  [file.runOnRequirements, test.runOnRequirements].every((list) => list === undefined || list.some(holds));
