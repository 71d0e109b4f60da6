export { assertKnown, beginFresh, doneSteps, migrate, NewerDataError, type Round } from './run';
export { fencesOf, type Migration, pendingOf, refusalOf } from './step';
export { MIGRATIONS } from './steps';
