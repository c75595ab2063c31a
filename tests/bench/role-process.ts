/** Runs a function of a benchmark's file in this process: see `startRole`. */
const [file = "", role = "", parameters = "[]"] = process.argv.slice(2);
const { ready, answer } = await (await import(file))[role](...JSON.parse(parameters));
process.on("message", async (message) => process.send?.(await answer(message)));
process.on("disconnect", () => process.exit());
process.send?.(ready);

export {};
