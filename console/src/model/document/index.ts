/** Edits of workflow documents: pure functions from a document to another one, or to the problem. */
export { addBlock, newStep, removeList, unwrapStep, wrapSteps } from './blocks';
export { copiedText, pasted } from './clipboard';
export {
  duplicateSteps,
  type Edit,
  insertSteps,
  moveSteps,
  removeSteps,
  renameStep,
  setValue,
  shiftSteps,
  type Target,
} from './edit';
export { changed, type History, historyOf, redone, undone } from './history';
export { idsOf, newId } from './ids';
export { isObject, type JsonObject, parsePath, type Path, pathText, samePath, valueAt } from './path';
export { mergeDocuments } from './merge';
export { editOfPaste, parsedData, targetAt } from './paste';
export {
  type BlockType,
  blockTypeOf,
  listsOf,
  placeAround,
  placeOf,
  placesOf,
  type StepPlace,
} from './walk';
