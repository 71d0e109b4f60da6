import type { ServiceContext } from '../../mixins/service';
import type { NodeSkills } from '../../nodes/contract';
import type { ActorDeps } from '../../runtime/execution/deps';
import type { App } from '../app';
import { retryUntilAvailable } from './retry-until-available';
import { toServiceAnswer } from './service-answer';

const MISSING = 'skill_not_found';

/** Access of steps on this host to the skills of their tenant. */
export const hostSkills =
  (app: App, { call, log }: ServiceContext): ActorDeps['skills'] =>
  (tenantId): NodeSkills => {
    const asService = { asServiceOf: tenantId };
    const ask = <T>(work: () => Promise<T>) =>
      toServiceAnswer(MISSING, () => retryUntilAvailable(app, log, 'A skill', work));
    return {
      pin: ({ skill, version }) =>
        ask(() => call('skills.pin', { ref: skill, ...(version === undefined ? {} : { version }) }, asService)),
      read: (hash, range = {}) => ask(() => call('skills.read', { hash, ...range }, asService)),
      readFile: (hash, path, range = {}) => ask(() => call('skills.read_file', { hash, path, ...range }, asService)),
    };
  };
