export { type Evaluation, evaluate, type Verdict } from "./evaluate";
export { type LabelledChange, LabelledSetError, readLabelledSet } from "./labelled-set";
