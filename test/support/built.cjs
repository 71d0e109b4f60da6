/** Where the build of the product is: tests run what production runs, which Node loads without Jest and without translating it. */
const { existsSync, statSync } = require('node:fs');
const { dirname, join, resolve, sep } = require('node:path');

const ROOT = join(__dirname, '..', '..');
const DIST = join(ROOT, 'dist');

/** Path of the compiled file that `name` is, imported by the file `from`; undefined when it is no module of the product. */
exports.builtFile = (from, name) => {
  const path = resolve(dirname(from), name);
  if (!path.startsWith(ROOT + sep)) return undefined;
  const built = path.startsWith(DIST + sep) ? path : join(DIST, path.slice(ROOT.length));
  return [built, built.replace(/\.ts$/, '.js'), `${built}.js`, join(built, 'index.js')].find(
    (file) => existsSync(file) && statSync(file).isFile(),
  );
};
