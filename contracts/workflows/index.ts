import { contract } from '../contract';
import { definitionsActions } from './definitions';
import { folderActions } from './folders';
import { runsActions } from './runs';
import { customNodesActions } from './custom-nodes';
import { variablesActions } from './variables';
import { keysActions } from './keys';
import { internalActions } from './internal';
import { chatActions } from './chat';
import { formsActions } from './forms';
import { versionsActions } from './versions';
import { draftsActions } from './drafts';
import { trialsActions } from './trials';
import { languageActions } from './language';

export const workflowsContract = contract('workflows', {
  ...definitionsActions,
  ...folderActions,
  ...runsActions,
  ...customNodesActions,
  ...variablesActions,
  ...keysActions,
  ...internalActions,
  ...chatActions,
  ...formsActions,
  ...versionsActions,
  ...draftsActions,
  ...trialsActions,
  ...languageActions,
});
