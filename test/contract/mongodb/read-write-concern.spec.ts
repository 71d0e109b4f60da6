import { describeArea } from './runner/suite';

describeArea('read-write-concern', { passed: 8, skipped: 3, notApplicable: 0, driverOnly: 20 });
