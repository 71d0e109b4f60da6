import { describeArea } from './runner/suite';

describeArea('crud', { passed: 366, skipped: 15, notApplicable: 160, driverOnly: 0 });
