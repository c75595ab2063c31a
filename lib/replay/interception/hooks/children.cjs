"use strict";
/** Gives the processes and threads that this one starts the variables of the run, also with an environment of their own. */
const childProcess = require("node:child_process");
const workers = require("node:worker_threads");
const { delimiter, join } = require("node:path");

const register = join(__dirname, "register.cjs");
const hooks = {
  NODE_OPTIONS: (value) => `${value} --require ${JSON.stringify(register)}`.trim(),
  BUN_OPTIONS: (value) => `${value} ${JSON.stringify(`--preload=${register}`)}`.trim(),
  PYTHONPATH: (value) => [__dirname, value].filter(Boolean).join(delimiter),
};

/** Calls of `env` that clear the environment: the variables that they set, and the program. */
const cleaning =
  /(?:^|[\s;&|(/])env\s+(?:-\S+\s+)*(?:-i|-|--ignore-environment)\s+((?:\w+=(?:"[^"]*"|'[^']*'|\S*)\s+)*)([\w@%+,./-]+)(?=\s|$)/;

/** `note(line)` writes a line for the end of the run. */
exports.carryVariables = (note) => {
  const names = (process.env.TAPEDECK_VARIABLES ?? "").split(",");
  const run = Object.fromEntries(Object.entries(process.env).filter(([name]) => names.includes(name)));

  /** Returns an environment with the variables of the run that it does not set, unless it turns the recorder off. */
  function complete(environment) {
    if (environment.TAPEDECK_PROXY === "") return environment;
    const { TAPEDECK_PROCESS } = process.env;
    const completed = { ...run, ...(TAPEDECK_PROCESS && { TAPEDECK_PROCESS }) };
    // As Node.js does, also those of its prototype.
    for (const name in environment) completed[name] = environment[name];
    for (const [name, extend] of Object.entries(hooks)) {
      const value = String(environment[name] ?? "");
      completed[name] = value.includes(__dirname) ? value : extend(value);
    }
    return completed;
  }

  function noteCommand(file, args) {
    if (/(?:^|[/\\])workerd(?:\.exe)?$/.test(file)) note("starts workerd");
    // Nothing else of the command is noted: it may have keys.
    const isEnv = /(?:^|[/\\])env$/.test(file);
    const words = isEnv ? args.map((word) => word.replace(/\s+/g, "_")) : args;
    const [, values, program] = cleaning.exec([file, ...words].join(" ")) ?? [];
    if (program !== undefined && !/(?:^|\s)PATH=/.test(values)) note(`cleans env -i ${program.slice(0, 100)}`);
  }

  const { spawn } = childProcess.ChildProcess.prototype;
  childProcess.ChildProcess.prototype.spawn = function (options) {
    noteCommand(options?.file ?? "", options?.args?.slice(1) ?? []);
    if (!Array.isArray(options?.envPairs)) return spawn.call(this, options);
    const environment = Object.fromEntries(options.envPairs.map((pair) => pair.split(/=(.*)/s, 2)));
    const envPairs = Object.entries(complete(environment)).map(([name, value]) => `${name}=${value}`);
    return spawn.call(this, { ...options, envPairs });
  };

  for (const name of ["spawnSync", "execFileSync", "execSync"]) {
    const start = childProcess[name];
    childProcess[name] = function (command, ...rest) {
      const index = rest.findIndex((each) => each !== null && typeof each === "object" && !Array.isArray(each));
      noteCommand(String(command), Array.isArray(rest[0]) ? rest[0] : []);
      if (index < 0 || !rest[index].env) return start.call(this, command, ...rest);
      rest[index] = { ...rest[index], env: complete(rest[index].env) };
      return start.call(this, command, ...rest);
    };
  }

  workers.Worker = new Proxy(workers.Worker, {
    construct(target, [file, options], newTarget) {
      const { env } = options ?? {};
      const isOwn = env !== null && typeof env === "object";
      return Reflect.construct(target, [file, isOwn ? { ...options, env: complete(env) } : options], newTarget);
    },
  });
};
