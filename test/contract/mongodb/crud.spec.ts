import { describeArea } from './runner/suite';

describeArea('crud', { passed: 340, skipped: 41, notApplicable: 160, driverOnly: 0 });
