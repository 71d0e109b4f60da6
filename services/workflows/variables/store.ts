import type { Model } from 'mongoose';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import type { Recorded } from '../../../mixins/audit';
import { nullOnConflict, WriteConflict } from '../../../lib/write-conflict';
import { type TenantScope, ofTenant } from '../../../lib/tenant';
import type { Variable, VariablesRecord } from './model';

/** Variables of one tenant, and bytes of all their names and values: every run that uses one is given all of them. */
const MAX_VARIABLES = 200;
const MAX_TOTAL_BYTES = 1024 * 1024;
/** How often a change starts over because another one came first. */
const MAX_TRIES = 64;

/** Reads and changes of variables, all within one tenant. */
export class VariableStore {
  constructor(
    private readonly model: Model<VariablesRecord>,
    /** Called after every change, before it is answered. */
    private readonly changed: (tenantId: string) => Promise<void>,
  ) {}

  /** All of them, by name. */
  async list(tenantId: string): Promise<readonly Variable[]> {
    return (await this.#of(tenantId).findOne({}))?.variables ?? [];
  }

  /** Adds a variable, or replaces the one of the same name. @throws AppError conflict at a limit */
  async put(tenantId: string, variable: Variable, recorded: Recorded): Promise<{ created: boolean }> {
    let created = false;
    await this.#change(tenantId, variable.name, recorded, (found) => {
      const others = found.filter(({ name }) => name !== variable.name);
      created = others.length === found.length;
      const all = [...others, variable].sort((a, b) => (a.name < b.name ? -1 : 1));
      assertWithinLimits(all);
      return { verb: created ? 'create' : 'update', all };
    });
    return { created };
  }

  /** @throws AppError not_found */
  remove(tenantId: string, name: string, recorded: Recorded): Promise<void> {
    return this.#change(tenantId, name, recorded, (found) => {
      const others = found.filter((each) => each.name !== name);
      if (others.length === found.length) throw new AppError('not_found', `There is no variable ${name}`);
      return { verb: 'delete', all: others };
    });
  }

  /** Changes at the same time are put in order. Values are not on record: people put there what is no constant. */
  async #change(
    tenantId: string,
    name: string,
    recorded: Recorded,
    decide: (found: readonly Variable[]) => { verb: 'create' | 'update' | 'delete'; all: Variable[] },
  ): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const found = await this.#of(tenantId).findOne({});
      const { verb, all } = decide(found?.variables ?? []);
      const change = { action: `variable.${verb}`, target: { type: 'variable', id: name, name } };
      const saving = recorded(change, async () => {
        const saved = await (found === null
          ? this.#insert(tenantId, all)
          : this.#replace(tenantId, found.revision, all));
        if (!saved) throw new WriteConflict();
        return saved;
      });
      if ((await nullOnConflict(saving)) === null) continue;
      await this.changed(tenantId);
      return;
    }
    throw new AppError('conflict', 'Too many changes of variables at the same time; try again');
  }

  /** False when others were faster. */
  async #insert(tenantId: string, variables: Variable[]): Promise<boolean> {
    try {
      await this.#of(tenantId).insert({ _id: tenantId, variables, revision: 1 });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  async #replace(tenantId: string, revision: number, variables: Variable[]): Promise<boolean> {
    const update = { $set: { variables }, $inc: { revision: 1 } };
    return (await this.#of(tenantId).update({ _id: tenantId, revision }, update)) !== null;
  }

  #of(tenantId: string): TenantScope<VariablesRecord> {
    return ofTenant(this.model, tenantId);
  }
}

function assertWithinLimits(variables: readonly Variable[]): void {
  if (variables.length > MAX_VARIABLES)
    throw new AppError('conflict', `There are ${MAX_VARIABLES} variables, which is the most; delete one first`);
  const bytes = variables.reduce((sum, { name, value }) => sum + name.length + Buffer.byteLength(value), 0);
  if (bytes > MAX_TOTAL_BYTES)
    throw new AppError(
      'conflict',
      `All variables together may have ${MAX_TOTAL_BYTES} bytes; these would have ${bytes}`,
    );
}
