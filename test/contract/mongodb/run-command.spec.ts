import { describeArea } from './runner/suite';

describeArea('run-command', { passed: 8, skipped: 7, notApplicable: 6, driverOnly: 0 });
