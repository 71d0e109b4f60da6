// Imported first by every entry point: checks the Node version and configures Node. Must load in Node 14 and newer.
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const oldest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node.replace('>=', '');

if (isOlder(process.versions.node, oldest)) {
  process.stderr.write(
    `Everstep needs Node ${oldest} or newer, and this is Node ${process.versions.node}: install Node 24 ` +
      '(https://nodejs.org), or on Linux run "npm ci" and use "npm start" or "npx everstep", which bring their own.\n',
  );
  process.exit(1);
}

// Caches compiled code in a folder that only the owner of the installation can write.
module.enableCompileCache(join(root, 'node_modules', '.cache', 'compiled'));

function isOlder(version, than) {
  const [is, least] = [version, than].map((text) => text.split('.').map(Number));
  const at = is.findIndex((part, index) => part !== least[index]);
  return at >= 0 && is[at] < least[at];
}
