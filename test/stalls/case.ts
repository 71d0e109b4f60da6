import type { Dice } from '../simulation/chance';
import type { Stage } from './stage';

/** Hostile input to the service by a tenant or an unauthenticated client. Throws when the service did not process it as intended. */
export interface StallCase {
  /** `group: what`; `--only` looks for a part of it. */
  readonly name: string;
  run(stage: Stage, dice: Dice): Promise<void>;
}

export const stallCase = (name: string, run: StallCase['run']): StallCase => ({ name, run });
