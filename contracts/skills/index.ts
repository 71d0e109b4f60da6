import { contract } from '../contract';
import { skillsActions } from './skills';
import { internalActions } from './internal';
import { registryActions } from './registry';

export const skillsContract = contract('skills', {
  ...skillsActions,
  ...internalActions,
  ...registryActions,
});
