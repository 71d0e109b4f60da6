import { join } from 'node:path';
import { importsIn, importsOf, sourceFiles } from '../../support/imports';
import { layerFault, PRODUCT } from '../../support/layers';

const ROOT = join(__dirname, '..', '..', '..');

const faultsOf = (file: string, text: string): string[] =>
  importsIn(text, file).flatMap((imported) => layerFault(file, imported) ?? []);

describe('layers', () => {
  it('no product file imports what stands above it', () => {
    const files = sourceFiles(ROOT, PRODUCT);
    expect(files.length).toBeGreaterThan(200);
    const faults = files.flatMap((file) =>
      importsOf(ROOT, file).flatMap((imported) => layerFault(file, imported) ?? []),
    );
    expect(faults).toEqual([]);
  });

  it.each([
    ['lib/a.ts', `import { x } from '../dsl/x';`],
    ['lib/a.ts', `import { Errors } from 'moleculer';`],
    ['lib/egress/a.ts', `export * from '../../runtime/x';`],
    ['dsl/a.ts', `import type { Node } from '../nodes/contract';`],
    ['dsl/deep/a.ts', `const x = await import('../../services/app');`],
    ['nodes/contract.ts', `import { set } from './data/set';`],
    ['nodes/data/set/a.ts', `import { Actor } from '../../../runtime/actor/actor';`],
    ['runtime/a.ts', `import { nodes } from '../nodes';`],
    ['runtime/a.ts', `import { run } from '../nodes/data/set/run';`],
    ['runtime/a.ts', `import { model } from 'mongoose';`],
    ['mixins/a.ts', `import { catalogue } from '../services/catalogue';`],
    ['mixins/a.ts', `import type { Vault } from '../services/secrets/vault';`],
    ['services/auth/a.ts', `import { openStore } from '../../embedded';`],
    ['services/auth/a.ts', `import { seal } from '../secrets/vault';`],
    ['services/auth/a.ts', `type Vault = import('../secrets/vault').Vault;`],
    ['services/a.ts', `const { x } = require('../start/process');`],
    ['embedded/a.ts', `import { parse } from '../dsl';`],
    ['start/a.ts', `import { until } from '../test/support/until';`],
    ['cli/a.ts', `import { errorCode } from '../services/app';`],
    ['cli/a.ts', `import { startProcess } from '../start/process';`],
    ['bench/a.ts', `import { DatabaseSync } from '@photostructure/sqlite';`],
    ['lib/a.ts', `import secret from '../../elsewhere/x';`],
    ['attic/a.ts', `import { x } from '../lib/x';`],
  ])('in %s, %s is a fault', (file, text) => {
    expect(faultsOf(file, text)).toHaveLength(1);
  });

  it.each([
    ['lib/errors.ts', `import { Errors } from 'moleculer';`],
    ['lib/egress/a.ts', `import { AppError } from '../errors';`],
    ['nodes/data/set/a.ts', `import { Run } from '../../contract'; import { plan } from '../../../dsl/plan';`],
    ['runtime/host/a.ts', `import { Actor } from '../actor/actor'; import { Run } from '../../nodes/contract';`],
    ['mixins/a.ts', `import type { App } from '../services/app'; import { type X } from '../services/auth/contract';`],
    ['services/auth/a.ts', `import { ENVS } from '../workflows/contract'; import { App } from '../app';`],
    ['services/auth/a.ts', `import { seal } from './vault'; import { nodes } from '../../nodes';`],
    ['services/catalogue.ts', `import type { AuthActions } from './auth/contract';`],
    ['start/process.ts', `import { openStore } from '../embedded'; import { ServiceBroker } from 'moleculer';`],
  ])('in %s, %s is none', (file, text) => {
    expect(importsIn(text, file).length).toBeGreaterThan(0);
    expect(faultsOf(file, text)).toEqual([]);
  });
});
