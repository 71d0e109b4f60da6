import type { ServiceContext } from '../../mixins/service';
import type { NodeSkills } from '../../nodes/contract';
import type { ActorDeps } from '../../runtime/actor/deps';
import type { App } from '../app';
import { answered } from './answered';
import { told } from './refusals';

const MISSING = 'skill_not_found';

/** Skills for the steps on this host, from the service that keeps them. */
export const hostSkills =
  (app: App, { call, log }: ServiceContext): ActorDeps['skills'] =>
  (tenantId): NodeSkills => {
    const asService = { asServiceOf: tenantId };
    const ask = <T>(work: () => Promise<T>) => told(MISSING, () => answered(app, log, 'A skill', work));
    return {
      pin: ({ skill, version }) =>
        ask(() => call('skills.pin', { ref: skill, ...(version === undefined ? {} : { version }) }, asService)),
      read: (hash, range = {}) => ask(() => call('skills.read', { hash, ...range }, asService)),
      readFile: (hash, path, range = {}) => ask(() => call('skills.read_file', { hash, path, ...range }, asService)),
    };
  };
