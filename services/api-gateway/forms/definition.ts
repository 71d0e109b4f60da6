import type { Plan } from '../../../dsl/plan';
import { type Cache, createCache } from '../../../lib/cache';
import { AppError } from '../../../lib/errors';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { OpaqueIds } from '../../../lib/opaque-id';
import { FORM_ADDRESS } from '../../../mixins/form-address';
import { pageSteps } from '../../../mixins/form-steps';
import type { App } from '../../app';
import type { Call } from '../../../contracts/catalogue';
import type { StartSnapshot } from '../../../contracts/workflows/views';
import type { StartRun } from '../../../mixins/start-run';
import { type FormField, formFields } from '../public-page/fields';

const MAX_PLANS = 1_000;
/** Plans are immutable; this only bounds how long unused ones are cached. */
const PLAN_TTL_MS = 600_000;

/** The form of a version of a workflow. */
interface FormDefinition {
  readonly title: string | null;
  readonly description: string;
  readonly submit: string;
  readonly confirmation: string | null;
  readonly redirect: string | null;
  /** Only links that the tenant has made open it. */
  readonly linksOnly: boolean;
  /** The schema of the values; undefined for a form without fields. */
  readonly inputs: Json | undefined;
  readonly fields: readonly FormField[];
  /** Further pages may follow: the run waits for forms. */
  readonly hasPages: boolean;
}

/** A form, and the workflow that it starts. */
export interface PublicForm extends FormDefinition {
  readonly workflow: StartSnapshot;
}

/** Finds forms by their addresses. */
export class Forms {
  readonly #addresses: OpaqueIds;
  readonly #definitions: Cache<{ readonly form: FormDefinition | null }>;

  constructor(
    app: App,
    private readonly starts: StartRun,
  ) {
    this.#addresses = new OpaqueIds(app.keys.ids, FORM_ADDRESS);
    this.#definitions = createCache({ max: MAX_PLANS, ttlMs: PLAN_TTL_MS, now: () => app.clock.now() });
  }

  /** @throws AppError not_found */
  async at(call: Call, address: string): Promise<PublicForm> {
    const id = this.#addresses.fromPublic(address);
    const workflow = id === null ? null : await this.starts.find(call, id);
    const form = workflow?.triggers.includes('form') === true ? await this.#definition(call, workflow) : null;
    if (workflow === null || form === null) throw new AppError('not_found', 'There is no form at this address');
    return { ...form, workflow };
  }

  async #definition(call: Call, { tenant_id, plan_hash: hash }: StartSnapshot): Promise<FormDefinition | null> {
    const known = this.#definitions.get(hash);
    if (known !== undefined) return known.form;
    const form = definitionOf(await call('workflows.plan', { hash }, { asServiceOf: tenant_id }));
    this.#definitions.set(hash, { form });
    return form;
  }
}

/** The form of a plan; null without a trigger of this type. Pure. */
function definitionOf(plan: Plan): FormDefinition | null {
  const { triggers, inputs } = plan;
  const trigger = triggers.find(({ type }) => type === 'form');
  if (trigger === undefined) return null;
  const { config } = trigger;
  return {
    title: textIn(config, 'title'),
    description: textIn(config, 'description') ?? '',
    submit: textIn(config, 'submit') ?? 'Send',
    confirmation: textIn(config, 'confirmation'),
    redirect: textIn(config, 'redirect'),
    linksOnly: config.access === 'link',
    inputs,
    fields: formFields(inputs) ?? [],
    hasPages: pageSteps(plan).length > 0,
  };
}

const textIn = (config: JsonObject, name: string): string | null => {
  const value = isObject(config) && Object.hasOwn(config, name) ? config[name] : null;
  return typeof value === 'string' ? value : null;
};
