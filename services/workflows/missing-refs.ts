import type { RefKind } from '../../contracts/workflows/params';
import type { ErrorDetail } from '../../lib/errors';
import { isUnanswered } from '../../mixins/start-run';
import type { Call } from '../../contracts/catalogue';
import { type Ref, refsIn } from './refs';

/** Names that are looked up for one document. */
const MAX_ASKED = 200;

const WORDS: Readonly<Record<RefKind, string>> = {
  connection: 'connection',
  knowledge_base: 'knowledge base',
  skill: 'skill',
  workflow: 'workflow',
};

/** Which of these ids and names the tenant does not have. */
type FindMissing = (refs: string[]) => Promise<readonly string[]>;

/** Asks the services that have them; workflows are the caller's own. */
const finders = (call: Call, tenantId: string, workflows: FindMissing): Readonly<Record<RefKind, FindMissing>> => {
  const options = { asServiceOf: tenantId };
  return {
    connection: async (refs) => (await call('connections.missing', { refs }, options)).refs,
    knowledge_base: async (refs) => (await call('knowledge.missing', { refs }, options)).refs,
    skill: async (refs) => (await call('skills.missing', { refs }, options)).refs,
    workflow: workflows,
  };
};

/** A warning for each place that names what there is not: it may be made before the workflow runs. */
export async function missingRefs(
  call: Call,
  tenantId: string,
  dsl: unknown,
  workflows: FindMissing,
): Promise<ErrorDetail[]> {
  const refs = refsIn(dsl);
  const found = finders(call, tenantId, workflows);
  const kinds = [...new Set(refs.map(({ kind }) => kind))];
  const warnings = await Promise.all(
    kinds.map((kind) =>
      missingOf(
        refs.filter((ref) => ref.kind === kind),
        found[kind],
      ),
    ),
  );
  return warnings.flat();
}

async function missingOf(refs: readonly Ref[], find: FindMissing): Promise<ErrorDetail[]> {
  const asked = [...new Set(refs.map(({ ref }) => ref))].slice(0, MAX_ASKED);
  const missing = await find(asked).catch((fault: unknown) => {
    // A service that is down must not keep a workflow from being saved.
    if (!isUnanswered(fault)) throw fault;
    return null;
  });
  return refs.flatMap(({ kind, path, ref }) => {
    if (missing === null) return [{ path, message: `whether there is a ${WORDS[kind]} ${ref} cannot be checked now` }];
    if (!missing.includes(ref)) return [];
    return [
      {
        path,
        message: `there is no ${WORDS[kind]} ${ref}`,
        hint: `${kind === 'skill' ? 'create or install' : 'create'} it before a run`,
      },
    ];
  });
}
