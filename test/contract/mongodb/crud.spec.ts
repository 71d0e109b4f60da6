import { describeArea } from './runner/suite';

describeArea('crud', { passed: 365, skipped: 16, notApplicable: 160, driverOnly: 0 });
