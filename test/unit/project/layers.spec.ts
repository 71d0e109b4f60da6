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
    ['nodes/data/set/a.ts', `import { Actor } from '../../../runtime/execution/actor';`],
    ['runtime/execution/a.ts', `import { nodes } from '../../nodes';`],
    ['runtime/execution/a.ts', `import { setNode } from '../../nodes/data/set';`],
    ['runtime/mongo/a.ts', `import { model } from 'mongoose';`],
    ['runtime/core/walk/a.ts', `import type { RunStore } from '../../ports/run-store';`],
    ['runtime/ports/a.ts', `import type { Actor } from '../execution/actor';`],
    ['runtime/execution/a.ts', `import type { Host } from '../worker/host';`],
    ['runtime/worker/a.ts', `import { mongoRunStore } from '../mongo/run-store';`],
    ['runtime/mongo/a.ts', `import type { HostDeps } from '../worker/deps';`],
    ['contracts/a.ts', `import { x } from '../mixins/service';`],
    ['contracts/a.ts', `import { compile } from '../dsl/compile';`],
    ['mixins/a.ts', `import { App } from '../services/app';`],
    ['mixins/a.ts', `import type { Vault } from '../services/secrets/vault';`],
    ['services/auth/a.ts', `import { openStore } from '../../embedded';`],
    ['services/auth/a.ts', `import { seal } from '../secrets/vault';`],
    ['services/auth/a.ts', `type Vault = import('../secrets/vault').Vault;`],
    ['services/a.ts', `const { x } = require('../start/process');`],
    ['embedded/a.ts', `import { parse } from '../dsl';`],
    ['start/a.ts', `import { until } from '../test/support/until';`],
    ['cli/a.ts', `import { errorCode } from '../services/app';`],
    ['cli/a.ts', `import { startProcess } from '../start/process';`],
    ['bench/a.ts', `import { DatabaseSync } from 'node:sqlite';`],
    ['lib/a.ts', `import secret from '../../elsewhere/x';`],
    ['attic/a.ts', `import { x } from '../lib/x';`],
  ])('in %s, %s is a fault', (file, text) => {
    expect(faultsOf(file, text)).toHaveLength(1);
  });

  it.each([
    ['lib/bus/a.ts', `import { Errors } from 'moleculer';`],
    ['lib/egress/a.ts', `import { AppError } from '../errors';`],
    ['nodes/data/set/a.ts', `import { Run } from '../../contract'; import { plan } from '../../../dsl/plan';`],
    ['runtime/worker/a.ts', `import { Actor } from '../execution/actor'; import { Run } from '../../nodes/contract';`],
    ['runtime/mongo/a.ts', `import type { RunStore } from '../ports/run-store'; import { x } from '../core/model';`],
    ['mixins/a.ts', `import type { App } from '../services/app'; import { ACTIONS } from '../contracts/catalogue';`],
    ['services/auth/a.ts', `import { ENVS } from '../../contracts/workflows/views'; import { App } from '../app';`],
    ['services/auth/a.ts', `import { seal } from './vault'; import { nodes } from '../../nodes';`],
    ['contracts/a.ts', `import type { Plan } from '../dsl/plan'; import { text } from '../lib/schema';`],
    ['start/process.ts', `import { openStore } from '../embedded'; import { ServiceBroker } from 'moleculer';`],
  ])('in %s, %s is none', (file, text) => {
    expect(importsIn(text, file).length).toBeGreaterThan(0);
    expect(faultsOf(file, text)).toEqual([]);
  });
});
