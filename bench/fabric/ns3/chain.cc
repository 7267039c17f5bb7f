// Routers in a row. Between two neighbours is a bottleneck: one rate, one delay, one queue (drop-tail in packets, or RED with both
// thresholds at K that marks). Each flow has a sender at one router and a receiver at another, on access links of its own.
// Prints one JSON document: per flow bytes in the measured time and completion time, per bottleneck the queue and the drops.
#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-module.h>

#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

struct FlowSpec
{
    uint32_t from;
    uint32_t to;
    double delayUs;
    uint64_t bytes;
    double startMs;
};

struct FlowState
{
    uint64_t received{0};
    uint64_t atWarmUp{0};
    double done{-1};
};

struct QueueState
{
    uint64_t packets{0};
    uint64_t smallest{0};
    uint64_t largest{0};
    double area{0};
    double since{0};
    uint64_t drops{0};
};

// Drops data packets: at random, each n-th one, or certain segments of the one flow when they are sent first.
class DataLoss : public ErrorModel
{
  public:
    double share{0};
    uint64_t every{0};
    std::set<uint32_t> segments;
    uint32_t mss{0};

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        if (packet->GetSize() < 128)
        {
            return false;
        }
        if (!segments.empty() && segments.erase(SegmentOf(packet)) > 0)
        {
            return true;
        }
        passed++;
        if (every > 0 && passed % every == 0)
        {
            return true;
        }
        return share > 0 && uniform->GetValue() < share;
    }

    // Number from 0; the sequence numbers of ns-3 begin with 0, the one of the SYN.
    uint32_t SegmentOf(Ptr<Packet> packet) const
    {
        Ptr<Packet> copy = packet->Copy();
        PppHeader ppp;
        Ipv4Header ip;
        TcpHeader tcp;
        copy->RemoveHeader(ppp);
        copy->RemoveHeader(ip);
        copy->RemoveHeader(tcp);
        return (tcp.GetSequenceNumber().GetValue() - 1) / mss;
    }

    void DoReset() override
    {
        passed = 0;
    }

    uint64_t passed{0};
    Ptr<UniformRandomVariable> uniform{CreateObject<UniformRandomVariable>()};
};

static std::vector<FlowSpec> specs;
static std::vector<FlowState> flows;
static std::vector<QueueState> queues;
static double warmUp = 0;

static void
Received(uint32_t flow, Ptr<const Packet> packet, const Address&)
{
    flows[flow].received += packet->GetSize();
    if (specs[flow].bytes > 0 && flows[flow].done < 0 && flows[flow].received >= specs[flow].bytes)
    {
        flows[flow].done = Simulator::Now().GetSeconds() - specs[flow].startMs / 1000;
    }
}

static void
QueueChanged(uint32_t index, uint32_t, uint32_t packets)
{
    QueueState& queue = queues[index];
    double now = Simulator::Now().GetSeconds();
    if (now > warmUp)
    {
        queue.area += queue.packets * (now - std::max(queue.since, warmUp));
    }
    queue.since = now;
    queue.packets = packets;
    if (now > warmUp)
    {
        queue.largest = std::max<uint64_t>(queue.largest, packets);
        queue.smallest = std::min<uint64_t>(queue.smallest, packets);
    }
}

template <class Item>
static void
Dropped(uint32_t index, Ptr<const Item>)
{
    if (Simulator::Now().GetSeconds() > warmUp)
    {
        queues[index].drops++;
    }
}

static void
WarmUpOver()
{
    for (auto& flow : flows)
    {
        flow.atWarmUp = flow.received;
    }
    for (auto& queue : queues)
    {
        queue.smallest = queue.largest = queue.packets;
    }
}

int
main(int argc, char* argv[])
{
    std::string control = "TcpNewReno";
    std::string flowList = "0:1:0:0:0";
    uint32_t hops = 1;
    double rate = 10e6;
    double accessRate = 100e6;
    double delayUs = 5000;
    uint32_t queuePackets = 100;
    uint32_t mark = 0;
    double loss = 0;
    uint64_t lossEvery = 0;
    std::string lost;
    double seconds = 10;
    uint32_t mss = 1448;
    uint32_t initialWindow = 10;
    uint32_t delayedAck = 2;
    double minRtoMs = 200;
    uint32_t seed = 1;
    CommandLine line;
    line.AddValue("control", "TypeId of the congestion control, without ns3::", control);
    line.AddValue("flows", "FROM:TO:DELAY_US:BYTES:START_MS of each flow, with commas; bytes 0: no end", flowList);
    line.AddValue("hops", "bottlenecks in a row", hops);
    line.AddValue("rate", "of a bottleneck, bits a second", rate);
    line.AddValue("accessRate", "of the other links", accessRate);
    line.AddValue("delayUs", "of a bottleneck, one way", delayUs);
    line.AddValue("queue", "packets", queuePackets);
    line.AddValue("mark", "packets from which on packets are marked; 0: drop-tail", mark);
    line.AddValue("loss", "share of data packets that are lost behind a bottleneck", loss);
    line.AddValue("lossEvery", "one of so many data packets is lost behind a bottleneck", lossEvery);
    line.AddValue("lost", "numbers of segments that are lost when they are sent first, with commas", lost);
    line.AddValue("seconds", "to simulate", seconds);
    line.AddValue("warmUp", "seconds before the measured time", warmUp);
    line.AddValue("mss", "bytes of payload", mss);
    line.AddValue("initialWindow", "segments", initialWindow);
    line.AddValue("delayedAck", "segments an acknowledgement", delayedAck);
    line.AddValue("minRtoMs", "least retransmission timeout", minRtoMs);
    line.AddValue("seed", "of random losses", seed);
    line.Parse(argc, argv);

    std::stringstream list(flowList);
    std::string item;
    while (std::getline(list, item, ','))
    {
        FlowSpec spec;
        unsigned long long bytes;
        if (std::sscanf(item.c_str(), "%u:%u:%lf:%llu:%lf", &spec.from, &spec.to, &spec.delayUs, &bytes, &spec.startMs) != 5 ||
            spec.from >= spec.to || spec.to > hops)
        {
            std::fprintf(stderr, "no flow: %s\n", item.c_str());
            return 1;
        }
        spec.bytes = bytes;
        specs.push_back(spec);
    }
    flows.resize(specs.size());
    queues.resize(hops);

    RngSeedManager::SetSeed(seed);
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName("ns3::" + control)));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpPrrRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(mss));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(initialWindow));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(delayedAck));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 26));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 26));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(minRtoMs / 1000)));
    if (control == "TcpDctcp")
    {
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
    }

    NodeContainer routers;
    routers.Create(hops + 1);
    InternetStackHelper internet;
    internet.Install(routers);
    Ipv4AddressHelper addresses;
    addresses.SetBase("10.0.0.0", "255.255.255.0");

    PointToPointHelper bottleneck;
    bottleneck.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rate))));
    bottleneck.SetChannelAttribute("Delay", TimeValue(NanoSeconds(static_cast<int64_t>(delayUs * 1000))));
    TrafficControlHelper noQueue;
    for (uint32_t hop = 0; hop < hops; hop++)
    {
        QueueSize size(QueueSizeUnit::PACKETS, mark > 0 ? 1 : queuePackets);
        bottleneck.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", QueueSizeValue(size));
        NetDeviceContainer devices = bottleneck.Install(routers.Get(hop), routers.Get(hop + 1));
        if (loss > 0 || lossEvery > 0 || !lost.empty())
        {
            Ptr<DataLoss> model = CreateObject<DataLoss>();
            model->share = loss;
            model->every = lossEvery;
            model->mss = mss;
            std::stringstream numbers(lost);
            while (std::getline(numbers, item, ','))
            {
                model->segments.insert(std::stoul(item));
            }
            devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(model));
        }
        Ptr<PointToPointNetDevice> device = DynamicCast<PointToPointNetDevice>(devices.Get(0));
        if (mark > 0)
        {
            // RED as a threshold: both bounds are K, and the present length is used instead of an average.
            TrafficControlHelper red;
            red.SetRootQueueDisc("ns3::RedQueueDisc",
                                 "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, queuePackets)),
                                 "MinTh", DoubleValue(mark), "MaxTh", DoubleValue(mark), "QW", DoubleValue(1),
                                 "LInterm", DoubleValue(1), "Gentle", BooleanValue(false),
                                 "UseEcn", BooleanValue(true), "UseHardDrop", BooleanValue(false),
                                 "MeanPktSize", UintegerValue(mss + 52),
                                 "LinkBandwidth", DataRateValue(DataRate(static_cast<uint64_t>(rate))),
                                 "LinkDelay", TimeValue(NanoSeconds(static_cast<int64_t>(delayUs * 1000))));
            QueueDiscContainer discs = red.Install(devices);
            discs.Get(0)->TraceConnectWithoutContext("PacketsInQueue", MakeBoundCallback(&QueueChanged, hop));
            discs.Get(0)->TraceConnectWithoutContext("Drop", MakeBoundCallback(&Dropped<QueueDiscItem>, hop));
        }
        else
        {
            device->GetQueue()->TraceConnectWithoutContext("PacketsInQueue", MakeBoundCallback(&QueueChanged, hop));
            // A router without a queue disc drops packets that a stopped device does not accept.
            routers.Get(hop)->GetObject<TrafficControlLayer>()->TraceConnectWithoutContext(
                "TcDrop", MakeBoundCallback(&Dropped<Packet>, hop));
        }
        addresses.Assign(devices);
        addresses.NewNetwork();
        if (mark == 0)
        {
            noQueue.Uninstall(devices);
        }
    }

    PointToPointHelper access;
    access.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(accessRate))));
    access.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", QueueSizeValue(QueueSize("100000p")));
    for (uint32_t i = 0; i < specs.size(); i++)
    {
        NodeContainer ends;
        ends.Create(2);
        internet.Install(ends);
        // The flow's own delay is on the sender's link; the receiver's link has no delay.
        access.SetChannelAttribute("Delay", TimeValue(NanoSeconds(static_cast<int64_t>(specs[i].delayUs * 1000))));
        NetDeviceContainer left = access.Install(ends.Get(0), routers.Get(specs[i].from));
        access.SetChannelAttribute("Delay", TimeValue(Seconds(0)));
        NetDeviceContainer right = access.Install(routers.Get(specs[i].to), ends.Get(1));
        addresses.Assign(left);
        addresses.NewNetwork();
        Ipv4InterfaceContainer at = addresses.Assign(right);
        addresses.NewNetwork();
        noQueue.Uninstall(left);
        noQueue.Uninstall(right);

        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5201));
        ApplicationContainer server = sink.Install(ends.Get(1));
        server.Start(Seconds(0));
        server.Get(0)->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Received, i));
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(at.GetAddress(1), 5201));
        bulk.SetAttribute("MaxBytes", UintegerValue(specs[i].bytes));
        bulk.SetAttribute("SendSize", UintegerValue(mss));
        ApplicationContainer client = bulk.Install(ends.Get(0));
        client.Start(NanoSeconds(static_cast<int64_t>(specs[i].startMs * 1e6)));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    Simulator::Schedule(Seconds(warmUp), &WarmUpOver);
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();

    std::printf("{\"flows\":[");
    for (uint32_t i = 0; i < flows.size(); i++)
    {
        std::printf("%s{\"bytes\":%llu,\"fct_s\":%.9f}", i == 0 ? "" : ",",
                    static_cast<unsigned long long>(flows[i].received - flows[i].atWarmUp), flows[i].done);
    }
    std::printf("],\"queues\":[");
    for (uint32_t i = 0; i < hops; i++)
    {
        QueueState& queue = queues[i];
        queue.area += queue.packets * (seconds - std::max(queue.since, warmUp));
        std::printf("%s{\"mean\":%.4f,\"smallest\":%llu,\"largest\":%llu,\"drops\":%llu}", i == 0 ? "" : ",",
                    queue.area / (seconds - warmUp), static_cast<unsigned long long>(queue.smallest),
                    static_cast<unsigned long long>(queue.largest), static_cast<unsigned long long>(queue.drops));
    }
    std::printf("]}\n");
    Simulator::Destroy();
    return 0;
}
