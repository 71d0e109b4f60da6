import { BUILD } from './build';
import { DRAFTS } from './drafts';
import { LARGE_ONES } from './large';
import { PANELS } from './panels';
import type { Scenario } from './stage';
import { STEPS } from './steps';
import { TRIALS } from './trials';

/** What `npm run test:console` checks of the editor. */
export const EDITOR_SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...BUILD,
  ...DRAFTS,
  ...TRIALS,
  ...LARGE_ONES,
  ...STEPS,
  ...PANELS,
};
