/** The packets in flight of the message transport against a list that is searched as a whole, after any steps. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { Flight } from "../../src/fabric/sim/packet/transport/messages/flight.js";
import { FlightModel, type Sent } from "../models/flight.js";

type Step = readonly [
  "send" | "arrived" | "arrivedBy" | "acknowledge" | "loseBefore" | "loseFrom" | "lose",
  number,
];

/** Takes a step in both, and compares what they return. */
function take(flight: Flight, model: FlightModel, [kind, value]: Step, at: number): void {
  const span = flight.next - flight.first;
  const number = flight.first + (span === 0 ? 0 : value % (span + 1));
  if (kind === "send") {
    const packet = flight.hasLost ? flight.takeLost() : flight.add(value, at, value % 2 === 0);
    flight.sent(packet, at);
    expect(packet.number).toBe(model.send(value));
    expect(packet.leavesAt).toBe(at);
  } else if (kind === "arrived") expect(flight.arrived(number)).toBe(model.arrived(number));
  else if (kind === "acknowledge") expect(flight.acknowledge(number)).toEqual(model.acknowledge(number));
  else if (kind === "loseBefore")
    expect(flight.loseBefore(1 + (value % 8))).toBe(model.loseBefore(1 + (value % 8)));
  else if (kind === "loseFrom") {
    flight.loseFrom(number - 1);
    model.loseFrom(number - 1);
  } else {
    const [one, other] = [flight.oldest(), model.oldest()];
    expect(one?.number).toBe(other?.number);
    if (one === undefined || other === undefined) return;
    if (kind === "lose") {
      flight.lose(one);
      other.state = "lost";
    } else {
      flight.arrivedBy(one);
      model.arrivedBy(other);
    }
  }
}

function expectEqual(flight: Flight, model: FlightModel): void {
  expect(flight.inFlight).toBe(model.in("flight").length);
  expect(flight.hasLost).toBe(model.in("lost").length > 0);
  expect(flight.first).toBe(model.first);
  const told = ({ number, state, bytes, attempt, transmission }: Sent) =>
    `${number} ${state} ${bytes} ${attempt} ${transmission}`;
  expect(model.packets.map(({ number }) => told(flight.packet(number)!))).toEqual(model.packets.map(told));
  expect(flight.packet(flight.first - 1)).toBeUndefined();
  expect(flight.packet(flight.next)).toBeUndefined();
}

const step: fc.Arbitrary<Step> = fc.tuple(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant("send" as const) },
    {
      weight: 5,
      arbitrary: fc.constantFrom("arrived", "arrivedBy", "acknowledge", "loseBefore", "loseFrom", "lose"),
    },
  ),
  fc.nat(1000),
);

it("has the states and the order of a list that is searched as a whole", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const [flight, model] = [new Flight(), new FlightModel()];
      steps.forEach((one, at) => {
        take(flight, model, one, at);
        expectEqual(flight, model);
      });
      expect(flight.oldest()?.number).toBe(model.oldest()?.number);
    }),
    { numRuns: 300 },
  );
});

it("knows the oldest packet after thousands that are over", () => {
  const flight = new Flight();
  for (let i = 0; i < 5000; i++) {
    flight.sent(flight.add(1, i, false), i);
    if (i >= 10) flight.acknowledge(i - 10);
    expect(flight.oldest()!.number).toBe(Math.max(0, i - 10));
  }
  expect(flight.inFlight).toBe(11);
});
