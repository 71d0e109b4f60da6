import { describeArea } from './runner/suite';

describeArea('run-command', { passed: 7, skipped: 8, notApplicable: 6, driverOnly: 0 });
